"""The key that shows the server of a run: one preview, however often it is pressed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


async def test_two_presses_open_one_preview_and_a_third_makes_another_link() -> None:
    """At the same moment, and later."""
    engine = FakeEngine()
    engine.hold = {"s-0"}
    async with open_console(engine) as (app, pilot):
        (await open_editor(app, pilot)).text = "serve(port=5000)"
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "s-0" in frame(app))
        await pilot.press("alt+p", "alt+p")
        await until(pilot, lambda: ".preview?t=" in frame(app))
        first = engine.previews.links
        await press(pilot, "alt+p")
        await until(pilot, lambda: f".preview?t={first + 1}" in frame(app))
        assert [("s-0", 5000)] == [(each.run, each.port) for each in engine.previews.opened]


async def test_without_a_run_or_a_session_nothing_is_opened() -> None:
    """It is said what to do first."""
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "alt+p")
        await until(pilot, lambda: "Run a program that listens" in frame(app))
        assert [] == engine.previews.opened
