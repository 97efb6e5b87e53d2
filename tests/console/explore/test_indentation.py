"""Indentation and comments in Explore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets.text_area import Selection

from console.explore.editing.indentation import next_indentation, step_back, toggle_comments
from engine.models import Language
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, press, until

PYTHON, JAVASCRIPT, SHELL = Language


@pytest.mark.parametrize(
    ("expected", "before", "language"),
    [
        ("    ", "if x:", PYTHON),
        ("        ", "    def f():", PYTHON),
        ("    ", "f(", PYTHON),
        ("", "x = 1", PYTHON),
        ("    ", "    x = 1", PYTHON),
        ("\t\t", "\tif x:", PYTHON),
        ("  ", "function f() {", JAVASCRIPT),
        ("  ", "xs.map(x =>", JAVASCRIPT),
        ("", "label:", JAVASCRIPT),
        ("  ", "if true; then", SHELL),
        ("    ", "  for x in a; do", SHELL),
        ("", "echo done", SHELL),
    ],
)
def test_a_new_line_is_indented_as_its_language_asks(expected: str, before: str, language: Language) -> None:
    """As the line before, and one level more inside what that line opens."""
    assert expected == next_indentation(before, language)


@pytest.mark.parametrize(
    ("expected", "before", "language"),
    [
        (4, "        ", PYTHON),
        (4, "    ", PYTHON),
        (2, "      ", PYTHON),
        (1, " ", PYTHON),
        (1, "", PYTHON),
        (1, "    x ", PYTHON),
        (1, "\t", PYTHON),
        (2, "    ", JAVASCRIPT),
        (1, "   ", SHELL),
    ],
)
def test_backspace_goes_back_by_one_level(expected: int, before: str, language: Language) -> None:
    """Of blanks at the beginning of a line alone, and to the columns of the levels."""
    assert expected == step_back(before, language)


@pytest.mark.parametrize(
    ("expected", "lines", "language"),
    [
        (["# x", "", "#   y"], ["x", "", "  y"], PYTHON),
        (["  // x", "  // y"], ["  x", "  y"], JAVASCRIPT),
        (["x", "  y"], ["# x", "  #y"], SHELL),
        (["# # x", "# y"], ["# x", "y"], PYTHON),
    ],
)
def test_lines_become_comments_or_code_again(
    expected: list[str], lines: list[str], language: Language
) -> None:
    """Empty lines stay empty, and indentation is kept."""
    assert expected == toggle_comments(lines, language)


LINE = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20)


@given(st.lists(LINE, min_size=1), st.sampled_from(Language))
def test_what_is_made_a_comment_comes_back(lines: list[str], language: Language) -> None:
    """Two presses change nothing where the first one made comments."""
    once = toggle_comments(lines, language)
    if any(len(after) > len(before) for before, after in zip(lines, once, strict=True)):
        assert lines == toggle_comments(once, language)


async def test_enter_indents_and_a_key_toggles_comments() -> None:
    """In the editor, on the selected lines, undone at once."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "if x:"
        editor.move_cursor((0, 5))
        await press(pilot, "enter", "y")
        await until(pilot, lambda: editor.text == "if x:\n    y")
        editor.selection = Selection((0, 0), (1, 2))
        await press(pilot, "ctrl+underscore")
        await until(pilot, lambda: editor.text == "# if x:\n#     y")
        await press(pilot, "ctrl+z")
        await until(pilot, lambda: editor.text == "if x:\n    y")


async def test_backspace_in_an_indentation_deletes_one_level() -> None:
    """Behind a word it deletes a character."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "if x:\n        yz"
        editor.move_cursor((1, 8))
        await press(pilot, "backspace")
        await until(pilot, lambda: editor.text == "if x:\n    yz")
        editor.move_cursor((1, 6))
        await press(pilot, "backspace")
        await until(pilot, lambda: editor.text == "if x:\n    y")
