"""Keys act on the run under the cursor, however late the engine answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from console.run.run_list import RunList
from console.run.screen import RunScreen
from tests.console.app.test_screens import killed, running
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until
from tests.console.support.late_engine import LateEngine


@asynccontextmanager
async def watching(engine: LateEngine) -> AsyncIterator[tuple[Pilot[Any], RunScreen]]:
    """Open Run on the first of two runs that go on; the engine answers nothing from then on."""
    engine.hold |= {"s-1", "s-2"}
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        screen = app.screen
        assert isinstance(screen, RunScreen)
        await until(pilot, lambda: screen._runs.case is not None)
        engine.lets.clear()
        yield pilot, screen


async def test_a_late_answer_does_not_show_the_run_that_the_cursor_has_left() -> None:
    """The cursor goes to the next run and back while that is asked for."""
    engine = LateEngine(running("s-1"), running("s-2"))
    async with watching(engine) as (pilot, screen):
        rows, before = screen.query_one(RunList), len(engine.asked)
        rows.cursor = 1
        await until(pilot, lambda: "s-2" in engine.asked[before:])
        rows.cursor = 0
        await until(pilot, lambda: "s-1" == engine.asked[-1])
        engine.lets.set()
        await until(pilot, lambda: screen._runs.case is not None)
        await pilot.pause()
        assert screen._runs.case is not None
        assert "s-1" == screen._runs.case.submission.id
        assert str(screen.query_one("#chosen").border_title).startswith("s-1")


@pytest.mark.parametrize("key", ["K", "s", "p"])
async def test_no_key_reaches_the_run_that_the_cursor_has_left(key: str) -> None:
    """The next run is not there yet: neither is stopped, killed or paused."""
    engine = LateEngine(running("s-1"), running("s-2"))
    async with watching(engine) as (pilot, screen):
        screen.query_one(RunList).cursor = 1
        await press(pilot, key)
        assert [] == engine.run_commands
        engine.lets.set()
        await until(pilot, lambda: screen._runs.case is not None and screen._runs.case.submission.id == "s-2")
        await press(pilot, key)
        await until(pilot, lambda: bool(engine.run_commands))
        assert {"s-2"} == {id for _, id in engine.run_commands}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["Run is open", "Review is open"])
async def test_a_run_that_began_and_ended_between_two_looks_is_listed(elsewhere: bool) -> None:
    """It was never in the queue as a run; it is shown on the return to Run, too."""
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "No runs." in frame(app))
        await press(pilot, *(["1"] if elsewhere else []))
        engine.put(killed("s-9"), "run.ended")
        await press(pilot, *(["2"] if elsewhere else []))
        await until(pilot, lambda: 1 == app.screen.query_one(RunList).count)
