"""Health never says OK of what is not known: an engine that is gone or hangs turns it grey, with its age."""

from __future__ import annotations

import asyncio

from console.app.connection import KNOWN_SECONDS
from console.health.screen import LOOK_SECONDS
from engine.models import Health
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until

ASKED_SECONDS = 5.0


class HangingEngine(FakeEngine):
    """An engine that keeps its connections and answers nothing about its health once it hangs."""

    def __init__(self) -> None:
        super().__init__(case("s-1", "1"))
        self.hangs = asyncio.Event()

    async def health(self, settled_within: float = 0) -> Health:
        if self.hangs.is_set():
            await asyncio.Event().wait()
        return await super().health(settled_within)


async def test_an_engine_that_hangs_turns_health_grey() -> None:
    """Within five seconds nothing is green, the engine is red, and it says what to type."""
    engine = HangingEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "5")
        await until(pilot, lambda: "1 failing" in frame(app))
        engine.hangs.set()
        await until(pilot, lambda: "unknown; as of" in frame(app))
        await until(pilot, lambda: "engine silent" in frame(app))
        shown = frame(app)
    assert KNOWN_SECONDS + LOOK_SECONDS < ASKED_SECONDS
    assert "says nothing for" in shown
    assert "pratique doctor" in shown
    assert "●" not in shown


async def test_an_engine_that_is_gone_turns_health_grey_at_once() -> None:
    """Without a connection nothing is called OK."""
    engine = FakeEngine(case("s-1", "1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "5")
        await until(pilot, lambda: "1 failing" in frame(app))
        engine.lost.set()
        await until(pilot, lambda: "unknown; as of" in frame(app))
        assert not app.connection.knows_health
