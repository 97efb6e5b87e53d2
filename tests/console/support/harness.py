"""The console over a stand-in engine, opened and settled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual._compositor import LayoutUpdate
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from tests.console.support.fake_engine import FakeEngine

QUICK = Preferences(undo_seconds=0, reading_seconds=0)


@asynccontextmanager
async def open_console(
    engine: FakeEngine, size: tuple[int, int] = (120, 36), preferences: Preferences | None = QUICK
) -> AsyncIterator[tuple[ConsoleApp, Pilot[Any]]]:
    """Open the console and wait until it shows what the engine says."""

    async def connect() -> FakeEngine:
        await engine.health()
        return engine

    app = ConsoleApp(connect, preferences)  # type: ignore[arg-type]
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.connection_state == "connected" and app.current_mode == "review")
        await pilot.pause()
        yield app, pilot


async def until(pilot: Pilot[Any], holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds; fail where it does not within `seconds`."""
    async with asyncio.timeout(seconds):
        while not holds():
            await pilot.pause(0.01)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys as a person does: one after another."""
    for key in keys:
        await pilot.pause(0.06)
        await pilot.press(key)
    await pilot.pause(0.06)


def frame(app: ConsoleApp) -> str:
    """Return the text of the frame that is on screen, as it would be emitted."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    return update.render_segments(app.console)
