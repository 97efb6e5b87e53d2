"""Explore as a test finds it: open, with its editor."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.explore.editor import Editor
from tests.console.support.harness import press, until


async def open_editor(app: ConsoleApp, pilot: Pilot[Any]) -> Editor:
    """Open Explore and return its editor."""
    await press(pilot, "3")
    await until(pilot, lambda: bool(app.screen.query(Editor)))
    return app.screen.query_one(Editor)
