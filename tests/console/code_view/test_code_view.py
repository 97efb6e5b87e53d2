"""The code under review as it is on the screen."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.code_view.folds import FOLDED, Folds, blocks
from console.code_view.lines import Mark, Row
from console.code_view.minimap import bands
from console.code_view.view import CodeView
from engine.models import Level
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import open_console, press, until

LETTERS = "ABCDEFGHIJ" * 50


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_character_of_a_wrapped_line_is_on_the_screen(size: tuple[int, int]) -> None:
    """No column lies under a scroll bar or past the edge."""
    async with open_console(FakeEngine(case("s-1", "\n" + LETTERS + "\n" * 200)), size) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view.line_count > 100)
        await press(pilot, "z")
        await until(pilot, lambda: LETTERS == "".join(re.findall(r"[A-J]{6,}", plain(app))))


PYTHON = (
    "def first():\n    one()\n    two()\n\ndef second():\n    if three:\n        eval(four)\n" + "x()\n" * 60
)


def test_blocks_are_found_by_their_indentation() -> None:
    """A block is a line and what is indented more below it, blank lines within it included."""
    assert {0: 2, 4: 6, 5: 6} == blocks(PYTHON.split("\n"))


@given(st.lists(st.sampled_from(["a", " b", "  c", "   d", ""]), max_size=30), st.data())
def test_what_is_folded_is_counted_and_comes_back(lines: list[str], data: st.DataObject) -> None:
    """Rows and folded lines together are all lines, whatever is folded; opening shows all again."""
    folds, rows = Folds(lines), [Row(number, 0, len(line)) for number, line in enumerate(lines)]
    for first in data.draw(st.lists(st.sampled_from(sorted(folds.last) or [0]), max_size=5)):
        if first in folds.last:
            folds.fold(first)
    kept = folds.kept(rows)
    assert len(lines) == sum(row.end if row.start == FOLDED else 1 for row in kept)
    folds.open_all()
    assert rows == folds.kept(rows)


async def test_folded_code_says_so_and_is_not_read() -> None:
    """A fold names its lines and violations, keeps the code unread, and opens for a violation in it."""
    found = (violation(span(7, 9, 13)),)
    async with open_console(FakeEngine(case("s-1", PYTHON, violations=found)), (120, 120)) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view._code.read == 1 and view.current == 0)
        view.current = None
        assert view.fold()
        await until(pilot, lambda: "2 lines folded" in plain(app) and view._code.read < 1)
        view.go_to(5)
        view.current = 0
        await until(pilot, lambda: "eval(four)" in plain(app))
        view.fold()
        await until(pilot, lambda: "1 line folded, 1 with violations" in plain(app))
        view.unfold()
        await until(pilot, lambda: "folded" not in plain(app) and view._code.read == 1)


def test_the_map_shows_the_gravest_of_each_part() -> None:
    """Every violation is in the part of the map where its line is, the gravest first."""
    rows = [Row(number, 0, 1) for number in range(100)]
    marks = {0: [Mark(0, 1, Level.LOW, 0)], 9: [Mark(0, 1, Level.HIGH, 1)], 99: [Mark(0, 1, Level.MEDIUM, 2)]}
    assert [Level.HIGH, *[None] * 8, Level.MEDIUM] == bands(rows, marks, 10)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "👨🏽×10 ",
        "\u200b" * 9,
        "क्षि नि",
        "שלום ",
        "e\u0301\u0301",
        "\t\x1b",
        "漢字\ue000",
        "🇩🇪1️⃣",
        "\u202e\u2066",
    ],
)
async def test_a_violation_is_underlined_where_it_is(before: str) -> None:
    """However many cells the marks before it take, and as a whole where it is displayed by marks itself."""
    code, at = f"{before}wrong\u200bname = 1", len(before) + 1
    found = violation(span(1, at, at + 10), "here")
    async with open_console(FakeEngine(case("s-1", code, violations=(found,))), (120, 36)) as (app, pilot):
        await until(pilot, lambda: "wrong" in plain(app))
        strips = app.screen.query_one(CodeView).render_line(0)
        underlined = [one.text for one in strips if one.style and one.style.underline]
        assert "wrong⟨200B⟩name" == "".join(underlined)
