"""History: searched with help, counted, compared, replayed; and trends."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from console.app.app import ConsoleApp
from console.history import saved_searches
from console.history.compare_runs import CompareRunsScreen
from console.history.facet_list import FacetList
from console.history.filter_line import FilterInput
from console.history.screen import HistoryScreen
from console.history.table import HistoryTable
from console.history.trends import TrendsScreen, metric_lines
from console.run.player import Player
from console.run.replay import ReplayScreen
from console.safety.text import content
from engine.common.text import Untrusted
from engine.models import Case, DecisionTimes, Erasure, Level, Meters, OutputChunk, Status, Stream
from engine.models.observed import ObservedEffect, ObservedKind, RunEffects
from engine.models.snapshot import KernelSnapshot, RunSnapshot, SnapshotProcess
from tests.console.support.fake_engine import FakeEngine, case, event, result
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep searches where nobody else does."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))


def ended(id: str, code: str) -> Case:
    """Return a run that is over."""
    update = {"status": Status.FINISHED, "result": result(), "started_at": datetime.now(UTC)}
    return case(id, code).model_copy(update=update)


def piece(at: float, text: str, offset: int) -> OutputChunk:
    """Return output that came at a time."""
    return OutputChunk(stream=Stream.STDOUT, at=at, offset=offset, data=text.encode())


async def test_a_search_is_completed_and_pointed_at() -> None:
    """Tab takes the completion; a caret stands under what is wrong."""
    async with open_console(FakeEngine(case("s-1", "1", who="anna"))) as (app, pilot):
        await press(pilot, "4", "slash", *"an")
        line = app.screen.query_one(FilterInput)
        await until(pilot, lambda: line.completions == ("an:",))
        await press(pilot, "tab")
        assert "an:" == line.value
        await press(pilot, "exclamation_mark")
        await until(pilot, lambda: "That is wrong. Leave it out" in frame(app))


async def test_tab_goes_on_among_the_values_of_a_word() -> None:
    """Tab takes a value, again the next one, and after the last the first."""
    printed = []
    async with open_console(FakeEngine(case("s-1", "1"))) as (app, pilot):
        await press(pilot, "4", "slash")
        line = app.screen.query_one(FilterInput)
        line.completions = ("kill:none", "kill:memory")
        for _ in range(3):
            line.action_complete()
            line.completions = (line.value,)
            printed.append(line.value)
    assert ["kill:none", "kill:memory", "kill:none"] == printed


async def test_escape_closes_the_facets_first() -> None:
    """Where the screen is narrow, the table is there again after Escape."""
    async with open_console(FakeEngine(case("s-1", "1")), size=(80, 24)) as (app, pilot):
        await press(pilot, "4", "f")
        await until(pilot, lambda: app.screen.query_one(FacetList).count > 2)
        await press(pilot, "escape")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).has_focus and "s-1" not in frame(app))
        assert not app.screen.has_class("-facets")


def _on_screen(app: ConsoleApp, said: str) -> bool:
    return said in frame(app)


async def test_what_retention_erased_is_named_with_its_rule() -> None:
    """A case without its code and its output says so wherever they would be, beside another one too."""
    engine = FakeEngine(ended("s-1", ""), ended("s-2", ""))
    engine.retained = (
        Erasure(what="code", digest="ab" * 32, rule="older than 30 days"),
        Erasure(what="output", digest="cd" * 32, rule="older than 30 days"),
    )
    async with open_console(engine, size=(200, 40)) as (app, pilot):
        await press(pilot, "4", "m", "enter")
        for key, said in (
            ("c", "The code was"),
            ("o", "The output of s-2 was"),
            ("p", "The output of s-2 was"),
        ):
            await press(pilot, key)
            words = f"{said} erased by retention: older than 30 days. Its hash remains in the events."
            await until(pilot, partial(_on_screen, app, words))
        await press(pilot, "escape", "escape", "down", "equals_sign")
        await until(pilot, partial(_on_screen, app, "s-1: The code was erased by retention"))
        await press(pilot, "o")
        await until(pilot, partial(_on_screen, app, "The output of s-1 was erased by retention"))


async def test_a_case_shows_what_a_run_was_doing_at_a_surprise() -> None:
    """A fact names it, and its events have the whole of it, whatever a process calls itself."""
    process = SnapshotProcess(pid=7, program=Untrusted("/bin/x\x1b[2J"), command=Untrusted("curl [/]"))
    kernel = KernelSnapshot(processes=(process,))
    seen = RunSnapshot(at=1.5, paused=True, kernel=kernel, stack=Untrusted("File main.py, line 3"))
    engine = FakeEngine(ended("s-1", "1"))
    engine.events_of = {"s-1": (event(5, "run.snapshot", "s-1", {"snapshot": seen.model_dump(mode="json")}),)}
    async with open_console(engine, size=(120, 36)) as (app, pilot):
        await press(pilot, "4", "enter")
        await until(pilot, partial(_on_screen, app, "paused, after 1.5 s"))
        await press(pilot, "e")
        await until(pilot, partial(_on_screen, app, "7 curl [/]"))
        await until(pilot, partial(_on_screen, app, "File main.py, line 3"))


async def test_a_facet_narrows_and_widens() -> None:
    """Enter on a value searches for it, again takes it out of the search."""
    engine = FakeEngine(case("s-1", "1", who="anna"), case("s-2", "2", level=Level.LOW, who="risk:low"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "f")
        facets, table = app.screen.query_one(FacetList), app.screen.query_one(HistoryTable)
        await until(pilot, lambda: facets.count > 2 and table.count == 2)
        facets.cursor = next(index for index, line in enumerate(facets._lines) if line.term == "risk:low")
        await press(pilot, "enter")
        await until(pilot, lambda: table.count == 1 and app.screen.query_one(FilterInput).value == "risk:low")


async def test_a_new_search_begins_at_its_first_row() -> None:
    """Wherever the cursor was, what a search finds is shown from its newest on."""
    cases = [case(f"s-{number}", "1", who="bert" if number < 9 else "anna") for number in range(30)]
    async with open_console(FakeEngine(*cases)) as (app, pilot):
        await press(pilot, "4")
        table = app.screen.query_one(HistoryTable)
        await until(pilot, lambda: table.count == 30)
        await press(pilot, "end", "slash", *"bert", "enter")
        await until(pilot, lambda: table.count == 9)
        assert 0 == table.cursor


async def test_searches_are_kept_and_forgotten() -> None:
    """Ctrl+S keeps what is typed, lists it among the facets, and forgets it the second time."""
    async with open_console(FakeEngine(case("s-1", "1"))) as (app, pilot):
        await press(pilot, "4", "slash", *"age", "ctrl+s")
        assert ["age"] == saved_searches.load()
        assert ["", "age"] == [line.term for line in app.screen.query_one(FacetList)._lines]
        await press(pilot, "ctrl+s")
        assert [] == saved_searches.load()


async def test_a_damaged_file_of_searches_is_empty() -> None:
    """What is no list of searches is as good as none."""
    for text in ("{", '{"a": 1}', "[1, null]"):
        saved_searches.file().parent.mkdir(parents=True, exist_ok=True)
        saved_searches.file().write_text(text)
        assert [] == saved_searches.load()


async def test_two_runs_are_side_by_side() -> None:
    """Facts of both, and the lines of code that differ."""
    engine = FakeEngine(ended("s-1", "print(1)\nsame\n"), ended("s-2", "print(2)\nsame\n"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "m", "down", "equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareRunsScreen) and "print(2)" in frame(app))
        assert "print(1)" in frame(app)


def wrote(path: str, at: float) -> ObservedEffect:
    """Return the effect of a file that was written."""
    return ObservedEffect(number=int(at), kind=ObservedKind.WRITE, target=Untrusted(path), first=at)


async def test_a_run_is_replayed() -> None:
    """All of its output and effects are on screen at its end, none before its time, and pausing holds it."""
    engine = FakeEngine(ended("s-1", "1"))
    engine.written["s-1"] = [piece(0.0, "at once\n", 0), piece(600.0, "at last\n", 8)]
    engine.samples["s-1"] = [Meters(at=1, cpu=0.5, memory=7 << 20, memory_peak=9 << 20, processes=3)]
    engine.effects_of["s-1"] = RunEffects(effects=(wrote("/a", 0.0), wrote("/b", 600.0)))
    engine.events_of["s-1"] = (event(1, "submission.created", "s-1"), event(2, "run.ended", "s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "enter", "p")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and "▶ playing" in frame(app))
        replay = app.screen
        assert isinstance(replay, ReplayScreen)
        await until(pilot, lambda: "at once" in frame(app))
        await until(pilot, lambda: "write /a" in frame(app))
        assert ("at last" in frame(app), "write /b" in frame(app)) == (False, False)
        await press(pilot, "space")
        await until(pilot, lambda: "⏸ paused" in frame(app))
        paused_at = replay.position
        for _ in range(10):
            replay.tick()
        assert paused_at == replay.position
        await press(pilot, "end")
        await until(pilot, lambda: "at last" in frame(app) and "■ ended" in frame(app))
        assert "write /b" in frame(app)


async def test_a_wide_screen_previews_the_row_under_the_cursor() -> None:
    """Its facts and its code follow the cursor; a screen of 120 columns has the list alone."""
    engine = FakeEngine(ended("s-1", "print('one')"), ended("s-2", "print('two')"))
    async with open_console(engine, (200, 60)) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: "Preview" in frame(app) and "requested by" in frame(app))
        first = app.screen.query_one(HistoryTable).chosen
        await press(pilot, "down")
        moved = app.screen.query_one(HistoryTable).chosen
        assert first is not None
        assert moved is not None
        assert first.id != moved.id
        digest = (await engine.case(moved.id)).submission.digest
        await until(pilot, lambda: digest[:16] in frame(app))
    async with open_console(engine, (120, 36)) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        assert "Preview" not in frame(app)


def test_the_longest_name_of_a_requester_does_not_touch_its_bar() -> None:
    """A blank is left between them."""
    figures = FakeEngine().figures.model_copy(update={"submissions": 1, "busiest": {"a" * 40: 1}})
    drawn = "\n".join(content(*each).plain for each in metric_lines(figures, 80))
    assert f"{'a' * 18}… ━" in drawn


async def test_trends_show_the_metrics() -> None:
    """Shares, kills by hour, times to decide and who asks most, with an alarm for memory."""
    engine = FakeEngine()
    engine.figures = engine.figures.model_copy(
        update={
            "submissions": 1000, "runs": 900, "memory_share": 0.03, "memory_alert": True,
            "kills_by_hour": {"2026-11-21T06": {"memory": 27}}, "busiest": {"agent-7": 600},
            "decision_seconds": {Level.HIGH: DecisionTimes(count=5, p50=4, p95=9)},
        }
    )  # fmt: skip
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "t")
        await until(pilot, lambda: isinstance(app.screen, TrendsScreen) and "agent-7" in frame(app))
        assert "more than 2 % of runs" in frame(app)
        await press(pilot, "v")
        await until(pilot, lambda: "Killed: memory" in frame(app))
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        await until(pilot, lambda: "kill:memory" in frame(app))


def test_a_player_keeps_the_time_of_the_run() -> None:
    """What came between two places is given once; going back gives all of it again."""
    chunks = [piece(0.0, "a", 0), piece(1.0, "b", 1), piece(0.5, "c", 2)]
    player = Player(chunks, [], 2.0)
    assert [b"a"] == [chunk.data for chunk in player.advance(0.5)[0]]
    assert [b"b", b"c"] == [chunk.data for chunk in player.advance(1.0)[0]]
    assert [b"a"] == [chunk.data for chunk in player.seek(0.5)[0]]
    player.playing = False
    assert ([], []) == player.advance(5)
    player.faster(9)
    assert 16.0 == player.speed
