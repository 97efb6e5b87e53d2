"""The keys of vim in Explore's editor: each does what vim's manual says, and none but when it is wished."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.app.preferences import Preferences
from console.explore.editor import Editor
from console.explore.screen import ExploreScreen
from console.explore.vim import Vim, VimCommand
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until

CODE = "def f(x):\n    return x + 1\n\nprint(f(2))"


def typed(
    keys: str, code: str = CODE, at: tuple[int, int] = (0, 0), *, locked: bool = False
) -> tuple[str, tuple[int, int]]:
    """Return the text and the cursor after keys of normal mode; what follows i, a, I, A, o or O is typed."""
    vim, text = Vim(), code
    for key in keys:
        lines = text.split("\n")
        deed = (
            VimCommand((at[0], at[1] + 1), (key, at, at))
            if vim.inserting
            else vim.press(key, lines, at, locked=locked)
        )
        if deed.edit is not None:
            text = replaced(text, *deed.edit)
        at = deed.cursor or at
    return text, at


def replaced(text: str, put: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text with what lies between two places replaced."""
    lines = text.split("\n")
    before = "\n".join([*lines[: start[0]], lines[start[0]][: start[1]]])
    after = "\n".join([lines[end[0]][end[1] :], *lines[end[0] + 1 :]])
    return before + put + after


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        ("l", (0, 1)), ("99l", (0, 8)), ("lh", (0, 0)), ("j", (1, 0)), ("99j", (3, 0)), ("jk", (0, 0)),
        ("w", (0, 4)), ("2w", (0, 5)), ("99w", (3, 10)), ("wb", (0, 0)), ("Gb", (2, 0)), ("e", (0, 2)),
        ("$", (0, 8)), ("$jj", (2, 0)), ("$jjk", (1, 15)), ("j^", (1, 4)), ("j$0", (1, 0)), ("G", (3, 0)),
        ("2G", (1, 4)), ("Ggg", (0, 0)), ("dj", (0, 0)), ("zz", (0, 0)), ("5yy", (0, 0)), ("10l", (0, 8)),
    ],
)  # fmt: skip
def test_the_cursor_goes_where_vim_goes(keys: str, cursor: tuple[int, int]) -> None:
    """A motion changes nothing but the cursor, and never leaves the text."""
    assert (CODE, cursor) == typed(keys)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("x", "b c\n  d\n"), ("9x", "\n  d\n"), ("xp", "ba c\n  d\n"), ("dd", "  d\n"), ("Gdd", "ab c\n  d"),
        ("9dd", ""), ("ddp", "  d\nab c\n"), ("yyP", "ab c\nab c\n  d\n"),
        ("yy2p", "ab c\nab c\nab c\n  d\n"),
        ("iZ", "Zab c\n  d\n"), ("aZ", "aZb c\n  d\n"), ("AZ", "ab cZ\n  d\n"), ("jIZ", "ab c\n  Zd\n"),
        ("joZ", "ab c\n  d\n  Z\n"), ("jOZ", "ab c\n  Z\n  d\n"), ("p", "ab c\n  d\n"), ("dxx", "b c\n  d\n"),
    ],
)  # fmt: skip
def test_the_text_becomes_what_vim_makes_of_it(keys: str, text: str) -> None:
    """Keys that change the text do so as vim does."""
    assert text == typed(keys, "ab c\n  d\n")[0]


@given(st.text("abx dyipPOoGg0$wbehjkl19u", max_size=30), st.text("a b\n.", max_size=20), st.booleans())
def test_no_keys_leave_the_text(keys: str, code: str, locked: bool) -> None:
    """Whatever is pressed, the cursor is in the text; what is locked stays as it was."""
    text, (row, column) = typed(keys, code, locked=locked)
    lines = text.split("\n")
    assert 0 <= row < len(lines)
    assert 0 <= column <= len(lines[row])
    assert not locked or text == code


async def test_the_mode_is_shown_and_escape_leaves_from_normal_mode() -> None:
    """With `vim: true` the editor begins in normal mode; i types, Escape ends that, and again leaves."""
    async with open_console(FakeEngine(), preferences=Preferences(undo_seconds=0, vim=True)) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: "NORMAL" in frame(app))
        editor = app.screen.query_one(Editor)
        await press(pilot, "x", "backspace", "enter", "i", "1", "a", "enter", "b")
        await until(pilot, lambda: "INSERT" in frame(app))
        assert "1a\nb" == editor.text
        await press(pilot, "escape", "d", "d", "p", "u")
        await until(pilot, lambda: "NORMAL" in frame(app))
        assert "1a" == editor.text
        await press(pilot, "escape", "4")
        await until(pilot, lambda: app.current_mode == "history")


async def test_without_the_setting_every_letter_is_typed() -> None:
    """By default the editor has one mode."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "d", "d", "i")
        assert isinstance(app.screen, ExploreScreen)
        assert "ddi" == app.screen.query_one(Editor).text
        assert "NORMAL" not in frame(app)
