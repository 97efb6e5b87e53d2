"""A list shows what is still unread, and leads there."""

from __future__ import annotations

from console.code_view.view import CodeView
from console.review.reading.unread import UnreadKind, UnreadScreen, unread_list
from engine.common.review_coverage import coverage_gaps
from engine.common.text import Untrusted
from engine.models import InputFile, Level, ReviewRecord
from tests.console.review.test_answer import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import open_console, press, until

CODE = "".join(f"value_{number} = {number}\n" for number in range(1, 101))
FOUND = (violation(span(90, 1, 5), level=Level.HIGH),)


def test_every_gap_is_one_part_and_nothing_else_is() -> None:
    """Lines in ranges, violations, input files by name, and the purpose."""
    files = (InputFile(name=Untrusted("rows.csv"), content=b"1"),)
    known = case("s-1", CODE, purpose="Count", violations=FOUND, level=Level.HIGH, files=files)
    seen = ReviewRecord(seconds=1, lines=((11, 20),), violations=(0,))
    parts = unread_list(coverage_gaps(known, seen), known)
    assert [
        (UnreadKind.LINES, 1, "1–10, 10 lines"),
        (UnreadKind.LINES, 21, "21–100, 80 lines"),
        (UnreadKind.UNRESOLVED, 0, "line 90, ▲ H"),
        (UnreadKind.FILE, 0, "1"),
        (UnreadKind.PURPOSE, 0, ""),
    ] == [(each.kind, each.at, each.title) for each in parts]


async def test_enter_goes_to_the_part() -> None:
    """The first line of an unread range is then on screen."""
    async with open_console(FakeEngine(case("s-1", CODE, violations=FOUND)), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "value_90" in plain(app))
        await press(pilot, "U")
        await until(pilot, lambda: isinstance(app.screen, UnreadScreen))
        assert "value_1 = 1" in plain(app)
        await press(pilot, "enter")
        await until(pilot, lambda: app.screen.query(CodeView).first().scroll_offset.y == 0)
        await until(pilot, lambda: "value_2 = 2" in plain(app))
