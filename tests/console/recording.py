"""`python -m tests.console.recording`: an agent is asked for changes, revises and is approved, as a picture.

A real engine, a real MCP client, a real sandbox. The picture is an SVG that shows one frame after the other.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.review.approve import ApproveScreen
from engine.client.client import Client
from tests import pictures
from tests.console.safety.test_hostile_frames import plain
from tests.console.screenshots import FOLDER, UNHURRIED
from tests.console.support.harness import press, until
from tests.engine.server.test_mcp_stdio import agent, pending
from tests.engine_process import EngineProcess

NAME = "request-changes"
SIZE = (100, 28)
FRAME_SECONDS = 3
PURPOSE = "Print the totals for each region"
FIRST = """import os

totals = {"north": 120, "south": 95}
for region in sorted(totals):
    print(region, totals[region])
print(os.environ)
"""
REVISED = """totals = {"north": 120, "south": 95}
for region in sorted(totals):
    print(region, totals[region])
"""
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


async def main() -> None:
    """Play both sides, and write the picture."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as home:
        engine = EngineProcess(Path(home), PRATIQUE_POLICY__DEADLINES=UNHURRIED)
        engine.start()
        try:
            frames = await _played(engine)
        finally:
            engine.end()
    (FOLDER / f"{NAME}.svg").write_text(animated(frames), encoding="utf-8")


async def _played(engine: EngineProcess) -> list[str]:
    async def connect() -> Client:
        return engine.client()

    app = ConsoleApp(connect, Preferences(theme="dark", undo_seconds=0, reading_seconds=0))
    async with app.run_test(size=SIZE) as pilot, engine.client() as operator:
        await until(pilot, lambda: app.health is not None and app.health.can_run, 90)
        recording = Recording(app, pilot)
        async with agent(engine, wait="0") as mcp:
            await mcp.call_tool("code_execute", {"code": FIRST, "purpose": PURPOSE})
            first = (await pending(operator)).submission.id
            await _ask_for_changes(recording, first)
            await mcp.call_tool("code_execute", {"code": REVISED, "purpose": PURPOSE, "revises": first})
            second = (await pending(operator)).submission.id
            await _approve(recording, second)
        return recording.frames


async def _ask_for_changes(recording: Recording, id: str) -> None:
    app, pilot = recording.app, recording.pilot
    await until(pilot, lambda: id in plain(app) and "os.environ" in plain(app))
    await pilot.pause(1)
    await recording.note("1. An agent submits code over MCP: it reads the whole environment")
    await press(pilot, "r")
    await until(pilot, lambda: app.screen.is_modal)
    await press(pilot, *"why the environment?", "enter")
    await recording.note("2. r: a comment on line 6 instead of a yes or no")
    await press(pilot, "ctrl+s")
    await until(pilot, lambda: "Queue is empty" in plain(app))
    await recording.note("3. The agent gets the comment as data, and works on it")


async def _approve(recording: Recording, id: str) -> None:
    app, pilot = recording.app, recording.pilot
    await until(pilot, lambda: id in plain(app))
    await pilot.pause(1)
    await recording.note("4. Its revision waits: proven harmless, and what changed is marked")
    await press(pilot, "c")
    await until(pilot, lambda: app.screen.is_modal or id not in plain(app))
    await recording.note("5. c: the difference, and what became of the comment")
    await press(pilot, "escape")
    await until(pilot, lambda: not getattr(app.screen, "obstacle", "another screen"))
    await press(pilot, "ctrl+y")
    await until(pilot, lambda: isinstance(app.screen, ApproveScreen) and app.screen.delay.over)
    await recording.note("6. ctrl+y: exactly these bytes")
    await press(pilot, "ctrl+y")
    await pilot.pause(0.5)
    await press(pilot, "2")
    await until(pilot, lambda: "south 95" in plain(app), 90)
    await recording.note("7. They run in a new gVisor sandbox; the agent gets the result")


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


if __name__ == "__main__":
    asyncio.run(main())
