"""Completion in Explore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.explore.editing.completion import completion
from engine.models import Language
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, press, until


@pytest.mark.parametrize(
    ("expected", "code", "before", "after", "language"),
    [
        ("al_sum", "total_sum = 1\n", "tot", "", Language.PYTHON),
        ("al", "total = total\ntotal_sum = 1\n", "tot", "", Language.PYTHON),
        ("nt", "", "pri", "", Language.PYTHON),
        ("", "", "p", "", Language.PYTHON),
        ("", "total = 1", "tot", "al", Language.PYTHON),
        ("", "total = 1", "", "", Language.PYTHON),
        ("st", "", "con", "", Language.JAVASCRIPT),
        ("ction", "", "fun", "", Language.SHELL),
        ("", "total", "total", "", Language.PYTHON),
        ("", "totâl = 1", "tot", "", Language.PYTHON),
    ],
)
def test_a_word_is_completed(expected: str, code: str, before: str, after: str, language: Language) -> None:
    """From the code, then from the language, and not inside a word."""
    assert expected == completion(code, before, after, language)


@given(st.text(), st.text(max_size=20), st.text(max_size=5), st.sampled_from(Language))
def test_a_completion_is_plain_text(code: str, before: str, after: str, language: Language) -> None:
    """Nothing of hostile code reaches the screen by it."""
    found = completion(code, before, after, language)
    assert not found or (found.isascii() and found.replace("_", "a").replace("$", "a").isalnum())


async def test_right_takes_the_completion_where_the_cursor_is() -> None:
    """It is gone once the cursor is elsewhere."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "wonder = 1\n"
        editor.move_cursor((1, 0))
        await press(pilot, "w", "o", "n")
        await until(pilot, lambda: editor.suggestion == "der")
        await press(pilot, "up")
        await until(pilot, lambda: editor.suggestion == "")
        await press(pilot, "down", "end", "right")
        await until(pilot, lambda: editor.text == "wonder = 1\nwonder")
