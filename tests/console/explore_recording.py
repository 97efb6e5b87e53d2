"""`python -m tests.console.explore_recording`: Explore from an idea to its output, as pictures.

A real engine and real sandboxes. One picture is an SVG that shows one frame after the other.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.explore.cells.box import CellBox
from console.explore.cells.screen import CellsScreen
from console.explore.editor import Editor
from engine.client.client import Client
from tests import pictures
from tests.console.recording import Recording, animated
from tests.console.safety.test_hostile_frames import plain
from tests.console.screenshots import FOLDER
from tests.console.support.harness import press, until
from tests.engine_process import EngineProcess

NAME = "explore"
SIZE = (110, 32)
PATIENCE = 180
IDEA = """import statistics

heights = [1.62, 1.75, 1.81, 1.69]
print(statistics."""
WRONG = """heights = [1.62, 1.75, 1.81, 1.69]

def share(part, whole):
    return part / whole

print(share(heights[0], len(heights) - 4))
"""
CELLS = """# %% data
import pandas
heights = pandas.DataFrame({"year": [2021, 2022, 2023], "cm": [162, 175, 181]})
heights
# %% a page of it
import http.server, threading
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
        self.wfile.write(heights.to_html().encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
# %% mean
heights.cm.mean()
"""


class Explored(Recording):
    """Frames of Explore, some of which are pictures of their own."""

    async def note(self, title: str, picture: str = "") -> None:
        """Keep the frame that is on screen, and save it where it is a picture."""
        await super().note(title)
        if picture:
            pictures.save(self.app, FOLDER / f"explore-{picture}-dark")


async def main() -> None:
    """Work in Explore, and write the pictures."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as home:
        engine = EngineProcess(Path(home))
        engine.start()
        try:
            frames = await _played(engine)
        finally:
            engine.end()
    (FOLDER / f"{NAME}.svg").write_text(animated(frames), encoding="utf-8")


async def _played(engine: EngineProcess) -> list[str]:
    async def connect() -> Client:
        return engine.client()

    app = ConsoleApp(connect, Preferences(theme="dark"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.health is not None and app.health.can_run, 90)
        await press(pilot, "3")
        await until(pilot, lambda: bool(app.screen.query(Editor)))
        explored = Explored(app, pilot)
        await _idea(explored)
        await _error(explored)
        await _cells(explored)
        return explored.frames


async def _idea(explored: Explored) -> None:
    app, pilot = explored.app, explored.pilot
    await _write(app, pilot, IDEA)
    await until(pilot, lambda: app.screen.query_one("#names").display, PATIENCE)
    await press(pilot, "m", "e", "a")
    await until(pilot, lambda: "median_grouped" in plain(app), PATIENCE)
    await explored.note("1. What could come next: the names that the image has", "completion")
    await press(pilot, "tab", *"(heights))", "ctrl+r")
    await until(pilot, lambda: "exit 0" in plain(app), PATIENCE)
    await explored.note("2. ctrl+r: it runs at once, in a new gVisor sandbox")


async def _error(explored: Explored) -> None:
    app, pilot = explored.app, explored.pilot
    await press(pilot, "f2")
    await _write(app, pilot, WRONG)
    await press(pilot, "ctrl+r")
    await until(pilot, lambda: app.screen.query_one(Editor).error_line is not None, PATIENCE)
    await press(pilot, "f8")
    await explored.note("3. An error leads to its line, and to the lines that called it", "error")


async def _cells(explored: Explored) -> None:
    app, pilot = explored.app, explored.pilot
    await press(pilot, "f2")
    await _write(app, pilot, CELLS)
    await press(pilot, "f6")
    await until(pilot, lambda: isinstance(app.screen, CellsScreen) and bool(app.screen.query(CellBox)))
    await press(pilot, "a")
    await until(pilot, lambda: "172.6" in plain(app), PATIENCE)
    await explored.note("4. Cells run in one session, with what each gave below it", "cells")
    await press(pilot, "p")
    await until(pilot, lambda: ".preview?t=" in plain(app), PATIENCE)
    await explored.note("5. p: what a cell serves is shown in your browser")


async def _write(app: ConsoleApp, pilot: Pilot[Any], text: str) -> None:
    editor = app.screen.query_one(Editor)
    editor.text = text
    editor.move_cursor(editor.document.end)
    await pilot.pause(1)


if __name__ == "__main__":
    asyncio.run(main())
