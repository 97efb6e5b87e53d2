"""Find, replace, go to a line and brackets in Explore's editor."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.widgets import Input

from console.explore.editing.brackets import partner
from console.explore.editing.language import detected
from console.explore.find.bar import FindBar
from console.explore.find.matches import MOST_MATCHES, Query
from console.explore.find.places import Offsets, typed_location
from engine.models import Language
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(
    ("expected", "text", "typed"),
    [
        ([(0, 1), (2, 3)], "a A", "a"),
        ([(2, 3)], "a A", "A"),
        ([(0, 2)], "a.ab", "a."),
        ([(0, 2), (2, 4)], "a.ab", "/a./"),
        ([(0, 1), (2, 3)], "b\nb", "/^b$/"),
        ([(0, 1)], "B", "/b/i"),
        ([], "abc", "/x*/"),
        ([(1, 3)], "éab", "AB".lower()),
        ([(1, 2)], "\ud800x", "x"),
        ([], "x", ""),
        ([(0, 1)], "/", "/"),
    ],
)
def test_words_and_expressions_are_found(expected: list[tuple[int, int]], text: str, typed: str) -> None:
    """Words as they are, expressions between slashes, offsets in characters."""
    assert expected == [(each.start, each.end) for each in Query(typed).matches(text)]


@pytest.mark.parametrize("typed", ["/(/", "/(?=a)/", r"/(a)\1/", "/a{1000}{1000}/", "/" + "a" * 2000 + "/"])
def test_what_is_no_bounded_expression_is_refused_in_words(typed: str) -> None:
    """It never ends the console."""
    with pytest.raises(ValueError, match=r"\w"):
        Query(typed).matches("aaaa")


def test_no_expression_runs_away() -> None:
    """What takes exponential time elsewhere is linear here; matches are bounded."""
    began = time.monotonic()
    Query(r"/(a+)+$/").matches("a" * 50_000 + "b")
    Query(r"/(x+x+)+y/").matches("x" * 50_000)
    assert time.monotonic() - began < 20
    assert MOST_MATCHES == len(Query("a").matches("a" * 20_000))


@given(st.text("ab\n\\é1"), st.text("ab", min_size=1, max_size=2), st.text("ab\\1n", max_size=4))
def test_words_are_replaced_as_python_replaces_them(text: str, typed: str, by: str) -> None:
    """The replacement of words is taken as it is."""
    assert text.replace(typed, by) == Query(typed).replaced(text, by)


@given(st.text("ab =\n"), st.sampled_from([r"\2=\1", r"<\0>", "\\\\", "x\\n"]))
def test_groups_are_replaced_as_python_replaces_them(text: str, by: str) -> None:
    """`\\1` is a group, `\\0` the match."""
    expected = re.sub(r"(a)(b?)", by.replace("\\0", "\\g<0>"), text)
    assert expected == Query("/(a)(b?)/").replaced(text, by)


@given(st.lists(st.text("ab", max_size=5), min_size=1), st.data())
def test_offsets_are_lines_and_columns(lines: list[str], data: st.DataObject) -> None:
    """In both directions."""
    offset = data.draw(st.integers(0, len("\n".join(lines))))
    offsets = Offsets(lines)
    line, column = offsets.location(offset)
    assert "\n".join([*lines[:line], lines[line][:column]]) == "\n".join(lines)[:offset]
    assert offset == offsets.offset((line, column))


@pytest.mark.parametrize(
    ("expected", "typed"),
    [((11, 0), "12"), ((11, 2), " 12:3 "), ((0, 0), "0"), (None, "x"), (None, "1" * 30)],
)
def test_a_typed_line_counts_from_one(expected: tuple[int, int] | None, typed: str) -> None:
    """With a column, if one is typed."""
    assert expected == typed_location(typed)


@pytest.mark.parametrize(
    ("expected", "lines", "at"),
    [
        ((0, 3), ["(())"], (0, 0)),
        ((0, 0), ["(())"], (0, 3)),
        ((2, 0), ["{", "", "}"], (0, 0)),
        (None, ["(" + "x" * 60_000, ")"], (0, 0)),
        (None, ["x"], (0, 0)),
        (None, [")"], (0, 0)),
        (None, [""], (0, 0)),
    ],
)
def test_brackets_have_partners(
    expected: tuple[int, int] | None, lines: list[str], at: tuple[int, int]
) -> None:
    """Within bounds."""
    assert expected == partner(lines, at)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (Language.PYTHON, "#!/usr/bin/env python3\n"),
        (Language.SHELL, "#!/bin/sh\n"),
        (Language.JAVASCRIPT, "#!/usr/bin/env node\n"),
        (Language.PYTHON, "import os\nfor each in os.listdir():\n    print(each)\n"),
        (Language.JAVASCRIPT, "const a = require('fs');\nconsole.log(a);\n"),
        (Language.SHELL, "for f in *; do\n  echo $f\ndone\n"),
        (Language.PYTHON, 'print("a" + "b")'),
        (Language.JAVASCRIPT, "console.log(1)"),
        (Language.SHELL, "echo a"),
        (None, "echo a; console.log(1)"),
        (None, "x = 1"),
        (None, "hello"),
        (None, ""),
    ],
)
def test_a_language_is_guessed_by_its_look(expected: Language | None, text: str) -> None:
    """Or not, where it is not clear."""
    assert expected is detected(text)


@given(st.text())
def test_any_text_is_looked_at(text: str) -> None:
    """Hostile text does not end the console."""
    assert detected(text) in {None, *Language}


async def test_find_and_replace_by_keys() -> None:
    """ctrl+f, Enter for the next match, Tab and Enter to replace it, ctrl+a for all, and one undo."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "one two\ntwo three\ntwo\n"
        await press(pilot, "ctrl+f", "t", "w", "o")
        await until(pilot, lambda: "3 found" in frame(app))
        await press(pilot, "enter")
        assert ((0, 4), (0, 7)) == (editor.selection.start, editor.selection.end)
        await press(pilot, "tab", "x", "enter")
        assert "one x\ntwo three\ntwo\n" == editor.text
        assert (1, 0) == editor.selection.start
        await press(pilot, "ctrl+a")
        assert "one x\nx three\nx\n" == editor.text
        await press(pilot, "escape", "ctrl+z")
        assert "one x\ntwo three\ntwo\n" == editor.text
        assert editor.has_focus


async def test_an_expression_that_is_none_is_said() -> None:
    """While it is typed."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "ctrl+f")
        app.screen.query_one(FindBar).query_one("#find", Input).value = "/(/"
        await until(pilot, lambda: "no expression" in frame(app))


async def test_a_line_is_gone_to() -> None:
    """Beyond the end is the last line."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "\n".join(["(x)"] * 500)
        await press(pilot, "alt+g", "3", "0", "0", "enter")
        assert (299, 0) == editor.cursor_location
        await press(pilot, "ctrl+right_square_bracket")
        assert (299, 2) == editor.cursor_location
        await press(pilot, "alt+g", "9", "9", "9", "9", "enter")
        assert 499 == editor.cursor_location[0]


async def test_pasted_code_has_its_language() -> None:
    """Where it is pasted into an empty editor."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        app.post_message(events.Paste("const a = 1;\nconsole.log(a);\n"))
        await until(pilot, lambda: editor.code_language is Language.JAVASCRIPT)
        await until(pilot, lambda: "javascript" in frame(app))
