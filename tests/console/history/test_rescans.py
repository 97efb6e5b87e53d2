"""Responders ask of the past from History: a rescan is started, followed, stopped and searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.rescans import RescansScreen
from console.history.screen import HistoryScreen
from console.history.table import HistoryTable
from engine.models.rescan import RescanState
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep choices where nobody else does."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))


async def test_a_rescan_is_started_followed_and_searched() -> None:
    """n and a share start it on the marked ones; the list follows it by itself; f finds what is worse."""
    engine = FakeEngine(case("s-1", "print(1)"), case("s-2", "print(2)"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "M", "A")
        await until(pilot, lambda: isinstance(app.screen, RescansScreen))
        await press(pilot, "n")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, "backspace", "backspace", "2", "5", "enter")
        await until(pilot, lambda: "3 of 8" in frame(app) and "2 worse" in frame(app))
        assert [("id:s-2,s-1", 0.25)] == [
            (one.request.query, one.request.share) for one in engine.rescans.known
        ]
        engine.rescans.ended(RescanState.FINISHED)
        await until(pilot, lambda: "finished" in frame(app))
        await press(pilot, "f")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        await until(pilot, lambda: "rescan:worse rescan.id:x-0" in frame(app))


@pytest.mark.parametrize("share", ["0", "101", "half", "²"])
async def test_a_share_that_is_none_starts_nothing(share: str) -> None:
    """What is no number of percent is refused."""
    engine = FakeEngine(case("s-1", "print(1)"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 1)
        await press(pilot, "A", "n")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        app.screen.query_one("#typed").value = share  # type: ignore[attr-defined]
        await press(pilot, "enter")
        await until(pilot, lambda: "number of percent" in frame(app))
    assert () == engine.rescans.known


async def test_a_rescan_is_stopped_once_that_is_confirmed() -> None:
    """s asks; ctrl+y stops it; another s has nothing to stop."""
    engine = FakeEngine(case("s-1", "print(1)"))
    await engine.rescans.begin("", 0.5)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "A")
        await until(pilot, lambda: "x-0" in frame(app))
        await press(pilot, "s")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, RescansScreen) and "stopped" in frame(app))
        await press(pilot, "s")
        await until(pilot, lambda: "does not go on" in frame(app))
    assert [RescanState.STOPPED] == [one.state for one in engine.rescans.known]
