"""The lines that ran, before the numbers of the code: in Run, in the case, and of two runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.code_view.view import CodeView
from console.history.case import CaseScreen
from console.history.compare_runs import CompareRunsScreen
from console.run.line_margin import both_margin, line_difference, line_margin, next_line, noted_lines
from console.run.lines import LinesScreen
from engine.common.text import Untrusted
from engine.models import Case
from engine.models.lines import LineMark, RunLines
from tests.console.app.test_screens import killed, running
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, press, until

CODE = "total = 0\nfor n in range(9):\n    total += n\nint('x')\nprint(total)\n"
RAN = RunLines(
    marks=(LineMark(1, 1, 0, 0), LineMark(2, 10, 0, 20), LineMark(3, 100, 0, 900), LineMark(4, 1, 1, 0)),
    hits_limit=100,
)
WHOLE = RunLines(marks=(*RAN.marks[:3], LineMark(4, 1, 0, 0), LineMark(5, 1, 0, 0)))
SIZES = ((80, 24), (120, 36), (200, 60))
NUMBER = st.integers(0, 10**10 - 1)


def coded(made: Case) -> Case:
    """Return a case with the code of this module."""
    draft = made.submission.draft.model_copy(update={"code": Untrusted(CODE)})
    submission = made.submission.model_copy(update={"draft": draft})
    return made.model_copy(update={"submission": submission})


def row(app: Any, text: str) -> str:
    """Return what is before `text` in the row of the frame that has it."""
    return next(line for line in plain(app).split("\n") if text in line).split(text)[0]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_run_shows_its_lines_while_it_goes_on(size: tuple[int, int]) -> None:
    """l opens the code with hits, time and the line that raised: the guest's word, followed live."""
    engine = FakeEngine(coded(running("s-1")))
    engine.lines_of["s-1"] = RAN.model_copy(update={"marks": RAN.marks[:2], "partial": True})
    async with open_console(engine, size) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "s-1" in plain(app))
        await press(pilot, "l")
        await until(pilot, lambda: "2 lines ran, so far, as the guest says" in plain(app))
        engine.lines_of["s-1"] = RAN
        await until(pilot, lambda: "1 line raised" in plain(app))
        assert ["100+", "900ms", "3"] == row(app, "    total += n").split("│")[-1].split()
        assert "!    1" in row(app, "int('x')")
        assert ["5"] == row(app, "print(total)").split("│")[-1].split()
        await press(pilot, "l")
        assert not isinstance(app.screen, LinesScreen)


async def test_the_case_shows_the_lines_beside_the_reviewed_code() -> None:
    """Afterwards the gutter of the code has them, and its title says whose word they are."""
    engine = FakeEngine(coded(killed("s-1")))
    engine.lines_of["s-1"] = RAN
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen))
        await press(pilot, "c")
        await until(pilot, lambda: "900ms" in plain(app))
        await press(pilot, "o", "c")
        await until(pilot, lambda: "as the guest says" in plain(app))
        await press(pilot, "l")
        await until(pilot, lambda: isinstance(app.screen, LinesScreen) and "4 lines ran" in plain(app))


async def test_two_runs_of_the_same_code_are_compared_line_by_line() -> None:
    """What one run alone ran has a sign; the counts of both are side by side."""
    engine = FakeEngine(coded(killed("s-1")), coded(killed("s-2")))
    engine.lines_of |= {"s-1": RAN, "s-2": WHOLE}
    async with open_console(engine) as (app, pilot):
        await app.push_screen(CompareRunsScreen("s-1", "s-2"))
        await until(pilot, lambda: "No difference." in plain(app))
        await press(pilot, "l")
        await until(pilot, lambda: "1 only in +, 1 raised only in one" in plain(app))
        assert "+" in row(app, "print(total)")
        assert "!    1           1" in row(app, "int('x')")


async def test_lines_of_other_code_are_not_compared() -> None:
    """Two runs of different code say so."""
    async with open_console(FakeEngine(coded(killed("s-1")), killed("s-2"))) as (app, pilot):
        await app.push_screen(CompareRunsScreen("s-1", "s-2"))
        await until(pilot, lambda: "total += n" in plain(app))
        await press(pilot, "l")
        await until(pilot, lambda: "Lines are compared" in plain(app))


async def test_n_goes_to_the_lines_that_say_something() -> None:
    """From line to line: what took much of the time, what raised."""
    code = "x = 1\n" * 300
    made = coded(killed("s-1"))
    draft = made.submission.draft.model_copy(update={"code": Untrusted(code)})
    made = made.model_copy(update={"submission": made.submission.model_copy(update={"draft": draft})})
    engine = FakeEngine(made)
    engine.lines_of["s-1"] = RunLines(marks=(LineMark(200, 1, 1, 0),))
    async with open_console(engine) as (app, pilot):
        await app.push_screen(LinesScreen("s-1"))
        await until(pilot, lambda: "1 line ran" in plain(app))
        await press(pilot, "n")
        await until(pilot, lambda: app.screen.query_one(CodeView).scroll_offset.y > 150)


def test_lines_are_noted_in_turn() -> None:
    """A fifth of the time is much; after the last comes the first."""
    assert {3, 4} == noted_lines(RAN)
    assert (3, 4, 3, 0) == (*(next_line({3, 4}, at) for at in (0, 3, 4)), next_line((), 1))


def test_what_differs_is_found() -> None:
    """Lines that one alone ran, and those that raised in one."""
    found = line_difference(RAN, WHOLE)
    assert not found.first_only
    assert (frozenset({5}), frozenset({4})) == (found.second_only, found.raised)


@given(st.lists(st.tuples(st.integers(1, 5000), NUMBER, NUMBER, NUMBER), max_size=20), st.integers(0, 200))
def test_whatever_the_guest_counts_the_margin_keeps_its_width(rows: list[Any], limit: int) -> None:
    """The largest numbers that the protocol lets through fit their columns."""
    marks = {line: LineMark(line, *rest) for line, *rest in rows}
    lines = RunLines(marks=tuple(marks[line] for line in sorted(marks)), hits_limit=limit)
    for margin in (line_margin(lines), both_margin(lines, RAN), both_margin(RAN, lines)):
        widths = {sum(len(text) for text, _ in cell) for cell in margin.cells.values()}
        assert widths <= {margin.width}
