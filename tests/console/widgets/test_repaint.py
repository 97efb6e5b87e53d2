"""Only what changed is painted anew, and what is on screen is what a painting of everything would show."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.review.queue.listing import QueueList
from console.review.requests import RequestPanel
from console.review.screen import ReviewScreen
from console.widgets.rows import Rows
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import open_console, press, until

CODE = "import os\n\n" + "print(os.environ)\n" * 60
FOUND = tuple(violation(span(line, 7, 17)) for line in range(3, 60, 3))


def pending(number: int) -> FakeEngine:
    """Return an engine with so many submissions that wait."""
    return FakeEngine(*(case(f"s-{n}", CODE, violations=FOUND, seconds=90_000) for n in range(number)))


def painted_whole(app: ConsoleApp) -> str:
    """Return the frame after every widget was drawn anew."""
    for widget in app.screen.walk_children():
        widget.refresh()
    return plain(app)


async def counted(pilot: Pilot[Any], rows: Rows, count: int) -> None:
    """Wait until a list has so many rows, and the frame with them was painted."""
    await until(pilot, lambda: rows.count == count)
    await pilot.pause()


async def test_a_queue_that_grows_and_shrinks_lays_nothing_out() -> None:
    """A list with a scroll bar takes rows in and lets go of them without a layout of the screen."""
    engine, layouts = pending(40), list[object]()
    async with open_console(engine) as (app, pilot):
        rows = app.screen.query_one(QueueList)
        await counted(pilot, rows, 40)
        app.screen.screen_layout_refresh_signal.subscribe(app.screen, layouts.append, immediate=True)
        engine.put(case("s-more", "print(2)", seconds=90_000))
        await counted(pilot, rows, 41)
        assert "Pending 41" in plain(app)
        assert [] == layouts
        rows.cursor = 40
        await pilot.pause()
        engine.put(engine.cases["s-more"].model_copy(update={"status": "denied"}))
        await counted(pilot, rows, 40)
        assert rows.max_scroll_y == rows.scroll_offset.y


async def test_what_was_painted_in_part_is_what_is_painted_whole() -> None:
    """After jumps, scrolls, other submissions and others' decisions, no line on screen is an old one."""
    engine = pending(30)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "Violations 19" in plain(app))
        await press(pilot, "n", "n", "n", "n", "n", "n", "n", "p", "a", "]")
        engine.put(engine.cases["s-0"].model_copy(update={"status": "denied"}))
        await counted(pilot, app.screen.query_one(QueueList), 29)
        await press(pilot, "[", "n", "n")
        await until(pilot, lambda: plain(app) == painted_whole(app))


async def test_a_panel_that_was_hidden_opens_with_the_submission_on_screen() -> None:
    """What is needed is laid out when it is opened, in full and of no other submission."""
    long = "to count " * 30
    cases = (case(f"s-{n}", CODE, violations=FOUND, purpose=f"{long} {n}th") for n in range(3))
    async with open_console(FakeEngine(*cases)) as (app, pilot):
        await until(pilot, lambda: "Violations 19" in plain(app))
        await press(pilot, "]", "i")
        await until(pilot, lambda: " 1th" in plain(app))
        assert app.screen.query_one(RequestPanel).max_scroll_y
        await until(pilot, lambda: plain(app) == painted_whole(app))


async def test_the_next_submission_comes_in_the_frame_in_which_the_cursor_moves() -> None:
    """Its case was loaded in advance, and no layout of the screen is due."""
    async with open_console(pending(60)) as (app, pilot):
        screen, layouts = app.screen, list[object]()
        assert isinstance(screen, ReviewScreen)
        rows = screen.query_one(QueueList)
        await counted(pilot, rows, 60)
        for below in range(1, 25):
            await until(pilot, lambda: rows.beside[0].id in screen._selection._cases)
            screen.screen_layout_refresh_signal.subscribe(screen, layouts.append, immediate=True)
            rows.cursor = below
            assert rows.chosen is not None
            assert screen._reader.case is not None
            assert rows.chosen.id == screen._reader.case.submission.id
            await pilot.pause()
        await until(pilot, lambda: plain(app) == painted_whole(app))
        assert [] == layouts
