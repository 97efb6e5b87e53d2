"""A console that is played with a real engine, as one SVG that shows frame after frame."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from engine.client.client import Client
from tests import pictures
from tests.console.screenshots import FOLDER
from tests.console.support.harness import until
from tests.engine_process import POOL, EngineProcess

FRAME_SECONDS = 3
PATIENCE = 120.0
SIZES = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


class Recording:
    """The frames of one console."""

    def __init__(self, app: ConsoleApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot
        self.frames: list[str] = []

    async def note(self, title: str) -> None:
        """Keep the frame that is on screen, under a title, without messages that come and go."""
        self.app.clear_notifications()
        await self.pilot.pause(0.5)
        self.frames.append(pictures.svg(self.app, title))
        sys.stdout.write(f"{title}\n")


Play = Callable[[Recording, EngineProcess], Awaitable[None]]
"""Presses keys, and notes frames."""


async def record(name: str, size: tuple[int, int], play: Play, **settings: str) -> None:
    """Play with a console and an engine that has these settings, and write the picture."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as home:
        engine = EngineProcess(Path(home), **{POOL: "1", **settings})
        engine.start()
        try:
            frames = await _played(engine, size, play)
        finally:
            engine.end()
    (FOLDER / f"{name}.svg").write_text(animated(frames), encoding="utf-8")


async def _played(engine: EngineProcess, size: tuple[int, int], play: Play) -> list[str]:
    async def connect() -> Client:
        return engine.client()

    app = ConsoleApp(connect, Preferences(theme="dark", undo_seconds=0, reading_seconds=0))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.health is not None and app.health.can_run, PATIENCE)
        recording = Recording(app, pilot)
        await play(recording, engine)
        return recording.frames


def animated(frames: list[str]) -> str:
    """Return one SVG that shows each frame for some seconds, again and again."""
    found = SIZES.search(frames[0])
    if found is None:
        raise ValueError("the first frame has no size")
    share, length = 100 / len(frames), FRAME_SECONDS * len(frames)
    style = (
        f".frame {{ visibility: hidden; animation: show {length}s step-end infinite; }}\n"
        f"@keyframes show {{ 0% {{ visibility: visible; }} {share:.3f}% {{ visibility: hidden; }} }}\n"
    )
    style += "".join(
        f".frame-{number} {{ animation-delay: {number * FRAME_SECONDS}s; }}\n"
        for number in range(len(frames))
    )
    shown = "".join(f'<g class="frame frame-{number}">\n{frame}</g>\n' for number, frame in enumerate(frames))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {found[1]} {found[2]}">\n'
    return f"{head}<style>\n{style}</style>\n{shown}</svg>\n"
