"""`python -m tests.console.explore_recording`: an idea is written, fails, is mended and becomes cells.

A real engine and real sandboxes. One picture shows frame after frame; three of the frames are pictures of
their own.
"""

from __future__ import annotations

import asyncio

from console.explore.cells.screen import CellsScreen
from console.explore.editor import Editor
from console.explore.names.popup import NamePopup
from tests import pictures
from tests.console.safety.test_hostile_frames import plain
from tests.console.screenshots import FOLDER
from tests.console.support.explore import open_editor
from tests.console.support.harness import press, until
from tests.console.support.recording import PATIENCE, Recording, record
from tests.engine_process import BASE, EngineProcess

SIZE = (110, 32)
WRONG = """import json

orders = json.loads('[{"item": "tea", "price": 4}, {}]')


def total(orders):
    return sum(each["price"] for each in orders)


print("orders:", len(orders))
print("total:", total(orders))
"""
CELLS = """# %% Orders by day
import pandas as pd

days = pd.DataFrame({"day": ["Mon", "Tue", "Wed"], "orders": [12, 18, 9]})
days

# %% Per order
revenue = [96.0, 171.0, 63.0]
days.assign(each=[each / count for each, count in zip(revenue, days.orders)])
"""


async def _play(recording: Recording, _: EngineProcess) -> None:
    """Press the keys of somebody who tries something."""
    await _names(recording)
    await _failed_and_mended(recording)
    await _cells(recording)


async def _names(recording: Recording) -> None:
    app, pilot = recording.app, recording.pilot
    editor = await open_editor(app, pilot)
    editor.text = "import json\n\norders = json"
    editor.move_cursor((2, 13))
    await until(pilot, lambda: app.screen._names.catalogue is not None, PATIENCE)  # type: ignore[attr-defined]
    await press(pilot, "full_stop", "l")
    await until(pilot, lambda: app.screen.query_one(NamePopup).lists)
    await _still(recording, "explore-names-dark", "1. Names come from the image, asked inside a sandbox")
    await press(pilot, "escape")


async def _failed_and_mended(recording: Recording) -> None:
    app, pilot = recording.app, recording.pilot
    editor = app.screen.query_one(Editor)
    editor.text = WRONG
    await pilot.pause(1)
    await press(pilot, "ctrl+r")
    await until(pilot, lambda: "KeyError" in plain(app) and "exit 1" in plain(app), PATIENCE)
    await press(pilot, "f8")
    await _still(recording, "explore-error-dark", "2. ctrl+r runs it; F8 goes to the line that failed")
    editor.text = WRONG.replace('each["price"]', 'each.get("price", 3)')
    editor.move_cursor((6, 0))
    await pilot.pause(1)
    await press(pilot, "ctrl+r")
    await until(pilot, lambda: "total: 7" in plain(app) and "exit 0" in plain(app), PATIENCE)
    await recording.note("3. Mended, and run again by the same key")


async def _cells(recording: Recording) -> None:
    app, pilot = recording.app, recording.pilot
    app.screen.query_one(Editor).text = CELLS
    await press(pilot, "f6")
    await until(pilot, lambda: isinstance(app.screen, CellsScreen))
    await press(pilot, "a")
    await until(pilot, lambda: "[1]" in plain(app) and "[2]" in plain(app) and "each" in plain(app), PATIENCE)
    await pilot.pause(1)
    await _still(recording, "explore-cells-dark", "4. Cells keep their state, with tables below them")
    await press(pilot, "escape")


async def _still(recording: Recording, name: str, title: str) -> None:
    """Keep a frame, and draw it as a picture of its own."""
    await recording.note(title)
    pictures.save(recording.app, FOLDER / name)


if __name__ == "__main__":
    asyncio.run(record("explore", SIZE, _play, **{BASE: "standard"}))
