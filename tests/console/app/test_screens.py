"""The other places: runs are watched, history is paged, Explore hands in, Health says what to type."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.binding import Binding

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.app.screens import SCREENS
from console.explore.editor import Editor
from console.history.case import CaseScreen
from console.history.table import HistoryTable
from console.review.violations import ViolationList
from console.run.output_log import KEPT_LINES, OutputLog
from console.run.screen import RunScreen
from console.run.streams import PausedRuns
from engine.common.text import Untrusted
from engine.models import Analysis, Case, Check, KillReason, Level, Meters, Status, Stream
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, chunk, event, result, span, violation
from tests.console.support.harness import frame, open_console, press, until

MEBI = 1024 * 1024


def running(id: str) -> Case:
    """Return a case that runs."""
    return case(id, "print(1)").model_copy(update={"status": Status.RUNNING, "started_at": datetime.now(UTC)})


def killed(id: str) -> Case:
    """Return a case that was killed for its memory."""
    envelope = result(KillReason.MEMORY, ("memory.events: oom_kill 1",))
    return running(id).model_copy(update={"status": Status.KILLED, "result": envelope})


async def test_output_and_meters_of_a_run_are_seen() -> None:
    """stdout and stderr are on screen, and what the run uses."""
    engine = FakeEngine(running("s-1"))
    engine.written["s-1"] = [chunk("to stdout\n"), chunk("to stderr\n", Stream.STDERR)]
    engine.samples["s-1"] = [Meters(at=1, cpu=0.25, memory=40 * MEBI, memory_peak=80 * MEBI, processes=3)]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "to stderr" in frame(app) and "peak 80 of" in frame(app))
        assert "to stdout" in frame(app)


async def test_a_run_is_stopped_paused_and_killed_by_its_keys() -> None:
    """Each key reaches the engine once, and pausing twice resumes the run."""
    engine = FakeEngine(running("s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and "s-1" in frame(app))
        await press(pilot, "p", "p", "s", "K")
        await until(pilot, lambda: len(engine.run_commands) == 4)
        assert [(verb, "s-1") for verb in ("pause", "resume", "stop", "kill")] == engine.run_commands


def test_the_time_that_a_run_was_paused_is_counted_apart() -> None:
    """Each pause adds up; the event after the key changes nothing, and the end of the run resets it."""
    paused, began = PausedRuns(), datetime(2026, 1, 1, tzinfo=UTC)
    paused.pause("s-1", began)
    paused.pause("s-1", began + timedelta(seconds=1))
    paused.resume("s-1", began + timedelta(seconds=4))
    paused.pause("s-1", began + timedelta(seconds=10))
    assert 7.0 == paused.seconds("s-1", began + timedelta(seconds=13))
    assert "s-1" in paused
    paused.handle(event(1, "run.ended", "s-1"))
    assert 0.0 == paused.seconds("s-1", began + timedelta(seconds=13))


async def test_output_is_shown_alone_and_an_id_is_copied() -> None:
    """z leaves nothing but the output, and brings all back; y copies the id, in Run and in a case."""
    async with open_console(FakeEngine(killed("s-1"))) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "peak" in frame(app))
        await press(pilot, "z", "y")
        assert ["meters", "runs"] == sorted(str(each.id) for each in app.screen.query("*") if not each.display
                                            and each.id in {"meters", "runs", "output"})  # fmt: skip
        assert "s-1" == app.clipboard
        await press(pilot, "z", "o")
        app.copy_to_clipboard("")
        await until(pilot, lambda: "oom_kill" in frame(app) and isinstance(app.screen, CaseScreen))
        await press(pilot, "y")
        assert "s-1" == app.clipboard


async def test_a_run_that_was_paused_before_the_console_started_is_shown_as_paused() -> None:
    """What happened to a run before is read from its events."""
    engine = FakeEngine(running("s-1"))
    engine.events_of["s-1"] = (event(1, "run.started", "s-1"), event(2, "run.pause", "s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "p resumes it" in frame(app))


async def test_a_reason_of_several_lines_is_shown_whole() -> None:
    """A status that is wider than the screen takes the lines that it needs when the run ends."""
    long = result(KillReason.MEMORY, ("memory.events: oom_kill 1", "memory.peak: 268435456", "zzlast: 1"))
    engine = FakeEngine(running("s-1"))
    async with open_console(engine, size=(80, 24)) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "running" in frame(app))
        engine.put(running("s-1").model_copy(update={"status": Status.KILLED, "result": long}))
        await until(pilot, lambda: "zzlast: 1" in frame(app))


async def test_the_reason_of_a_kill_is_said_with_its_evidence() -> None:
    """A responder reads why a run was killed and what decided that."""
    async with open_console(FakeEngine(killed("s-1"))) as (app, pilot):
        await press(pilot, "4", "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and "killed: memory" in frame(app))
        assert "memory.events: oom_kill 1" in frame(app)


async def test_the_case_file_is_saved_from_the_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A responder takes the proof away; a file that is there already stays as it is."""
    monkeypatch.chdir(tmp_path)
    async with open_console(FakeEngine(killed("s-1"))) as (app, pilot):
        await press(pilot, "4", "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and "killed: memory" in frame(app))
        await press(pilot, "x", "enter")
        await until(pilot, lambda: "to s-1.zip" in frame(app))
        await press(pilot, "x", "enter")
        await until(pilot, lambda: "s-1.zip already exists" in frame(app))
    assert b"the case file of s-1" == (tmp_path / "s-1.zip").read_bytes()


async def test_the_view_of_a_flood_is_bounded_and_says_what_it_left_out() -> None:
    """Of more lines than are kept, the newest are kept, and the rest is counted."""
    async with open_console(FakeEngine(running("s-1"))) as (app, pilot):
        await press(pilot, "2")
        log = app.screen.query_one(OutputLog)
        for number in range(120):
            log.add(chunk("".join(f"{number * 1000 + line}\n" for line in range(1000))))
        lines = log.lines()
        assert (KEPT_LINES, 120_000 - KEPT_LINES) == (len(lines), log.dropped)
        assert "119999" == lines[-1]


async def test_a_character_that_is_split_over_chunks_is_whole() -> None:
    """Bytes of one character that arrive apart are put together; bytes that are none are shown as such."""
    async with open_console(FakeEngine(running("s-1"))) as (app, pilot):
        await press(pilot, "2")
        log = app.screen.query_one(OutputLog)
        data = "grün\n".encode()
        for number in range(len(data)):
            log.add(chunk(data[number : number + 1]))
        log.add(chunk(b"\xff\n"))
        assert ["grün", "\ufffd"] == log.lines()


async def test_the_history_is_paged() -> None:
    """Rows beyond the first page are fetched when they are scrolled to, each once, in order."""
    engine = FakeEngine(*(case(f"s-{number:04}", f"print({number})") for number in range(450)))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        table = app.screen.query_one(HistoryTable)
        await until(pilot, lambda: table.count == 200)
        await press(pilot, "end")
        await until(pilot, lambda: table.count >= 400)
        await press(pilot, "end")
        await until(pilot, lambda: table.count == 450)
        await press(pilot, "end")
        await until(pilot, lambda: table.chosen is not None and table.chosen.id == "s-0000")


async def test_the_history_is_searched() -> None:
    """Only what the engine finds is listed; Esc lists everything again."""
    engine = FakeEngine(case("s-1", "1", who="anna"), case("s-2", "2", who="bert"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        table = app.screen.query_one(HistoryTable)
        await until(pilot, lambda: table.count == 2)
        await press(pilot, "slash", *"bert", "enter")
        await until(pilot, lambda: table.count == 1)
        await press(pilot, "escape")
        await until(pilot, lambda: table.count == 2)


async def test_explore_analyses_while_typing_and_hands_in() -> None:
    """The analysis of what is written comes by itself; ctrl+r hands in exactly that."""
    engine = FakeEngine()
    engine.analysis = Analysis(violations=(violation(span(1, 1, 5), level=Level.CRITICAL),))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: isinstance(app.focused, Editor))
        await press(pilot, *"eval(1)")
        await until(pilot, lambda: app.screen.query_one(ViolationList).count == 1)
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: bool(engine.submitted))
        assert ["eval(1)"] == [draft.code.text for draft in engine.submitted]


async def test_health_says_what_to_type() -> None:
    """A failed check comes first, with the command that fixes it."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "5")
        await until(pilot, lambda: "Type: pratique prune" in frame(app))
        assert "proven" in frame(app)


async def test_missing_isolation_is_shown_on_every_screen() -> None:
    """Where gVisor was not proven, every place says NOT ISOLATED."""
    async with open_console(FakeEngine(isolated=False)) as (app, pilot):
        for key in ("1", "2", "4", "5"):
            await press(pilot, key)
            await until(pilot, lambda: "NOT ISOLATED" in frame(app))


async def test_a_policy_file_that_is_refused_is_named_everywhere() -> None:
    """Where the last good policy stays in force, every place says so."""
    engine = FakeEngine()
    engine.checks = (Check(name="policy", ok=False, detail=Untrusted("policy.yaml: line 2: unknown key")),)
    async with open_console(engine, (80, 24)) as (app, pilot):
        for key in ("1", "2", "4", "5"):
            await press(pilot, key)
            await until(pilot, lambda: "■ policy" in frame(app))


async def test_the_console_attaches_again_by_itself() -> None:
    """An engine that goes away is named on the line on top; when it is back, the queue is there again."""
    engine = FakeEngine(case("s-1", "print(1)"))
    async with open_console(engine) as (app, pilot):
        engine.lost.set()
        await until(pilot, lambda: app.connection_state == "offline")
        engine.lost.clear()
        engine.put(case("s-2", "print(2)"))
        await until(pilot, lambda: app.connection_state == "connected" and len(app.queue) == 2)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_place_fits(size: tuple[int, int]) -> None:
    """At every size each place shows the line on top, its content and its keys."""
    engine = FakeEngine(case("s-1", "import os\n", violations=(violation(span(1, 8, 10)),)), running("s-2"))
    async with open_console(engine, size) as (app, pilot):
        for number, place in enumerate(SCREENS, start=1):
            await press(pilot, "escape", str(number))
            await until(pilot, lambda place=place: app.current_mode == place)  # type: ignore[misc]
            await until(pilot, lambda: all(word in plain(app) for word in ("Pratique", "gVisor", "Help")))


async def test_a_key_can_be_given_to_another_action() -> None:
    """The user's keymap changes a key by the id of its binding."""
    engine = FakeEngine(case("s-1", "print(1)"))
    preferences = Preferences(undo_seconds=0, keymap={"go.health": "H"})
    async with open_console(engine, preferences=preferences) as (app, pilot):
        await press(pilot, "H")
        await until(pilot, lambda: app.current_mode == "health")


def bindings() -> list[Binding]:
    """Return every binding that is declared in the console."""

    found = [each for each in ConsoleApp.BINDINGS if isinstance(each, Binding)]
    for module in (*SCREENS.values(), "console.review.approve:ApproveScreen",
                   "console.review.deny:DenyScreen",
                   "console.history.case:CaseScreen", "console.review.input_files:FilesScreen",
                   "console.help.help:HelpScreen", "console.code_view.view:CodeView",
                   "console.run.output_log:OutputLog", "console.widgets.rows:Rows",
                   "console.review.grants:GrantRows"):  # fmt: skip
        name, _, kind = module.partition(":")
        found += getattr(__import__(name, fromlist=[kind]), kind).BINDINGS
    return found


def test_every_binding_can_be_found_and_changed() -> None:
    """Every binding has an id that no other has, a description and a tooltip."""
    found = bindings()
    ids = [each.id for each in found]
    assert len(set(ids)) == len(ids)
    assert [] == [each for each in found if not (each.id and each.description and each.tooltip)]


def test_approving_is_bound_to_no_plain_key() -> None:
    """The keys that approve are key combinations."""
    keys = {each.key for each in bindings() if each.id in {"review.approve", "approve.confirm"}}
    assert {"ctrl+y"} == keys


def test_a_command_does_not_pay_for_the_console() -> None:
    """The program's entry imports nothing of the screen before it is needed."""
    tree = ast.parse((Path(__file__).parents[3] / "console" / "main.py").read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {"__future__", "os", "sys"} == {
        name
        for node in top
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
