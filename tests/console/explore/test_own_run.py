"""Running one's own code in Explore: one key, and a second one for what is grave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from console.explore.editor import Editor
from console.explore.open_file import OpenScreen
from console.explore.own_run import author_record, runs_at_once
from console.explore.run_sheet import RunSheet
from engine.common.errors import Problem
from engine.common.review_coverage import coverage_gaps
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Case,
    DecisionOutcome,
    Language,
    Level,
    Limits,
    OutputChunk,
    Permissions,
    ShownBy,
    Status,
    TriageOutcome,
    Verdict,
)
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, chunk, span, violation
from tests.console.support.harness import frame, open_console, press, until

HIGH = violation(span(1, 1, 5))
SYNTAX = HIGH.model_copy(update={"rule": "py-syntax"})
LOW = violation(span(1, 1, 5), level=Level.LOW)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(
    ("at_once", "violations", "wanted"),
    [
        (True, (), Permissions()),
        (True, (LOW,), Permissions(session=True)),
        (True, (), Permissions(files=(Untrusted("a.csv"),))),
        (False, (HIGH,), Permissions()),
        (False, (LOW, HIGH), Permissions()),
        (False, (), Permissions(domains=(Untrusted("a.example"),))),
        (False, (), Permissions(secrets=(Untrusted("TOKEN"),))),
        (False, (), Permissions(limits=Limits(memory_mb=2048))),
    ],
)
def test_only_what_is_not_grave_and_asks_for_nothing_runs_at_once(
    at_once: bool, violations: tuple[object, ...], wanted: Permissions
) -> None:
    """Every grave violation and every permission is shown once more."""
    assert at_once is runs_at_once(case("s-1", "x", violations=violations, wanted=wanted))  # type: ignore[arg-type]


def test_what_was_not_analysed_is_shown_once_more() -> None:
    """An incomplete analysis is no reason to run at once."""
    broken = case("s-1", "x").model_copy(update={"analysis": Analysis(complete=False)})
    assert not runs_at_once(broken)


def test_the_record_of_an_author_is_complete_and_says_whose_it_is() -> None:
    """Nothing is missing, grave violations are accepted, and it does not claim that Review displayed it."""
    known = case("s-1", "a\nb\n", violations=(LOW, HIGH))
    record = author_record(known, 1.26)
    assert not coverage_gaps(known, record)
    assert (ShownBy.AUTHOR, 1.3) == (record.shown_by, record.seconds)
    assert [(1, TriageOutcome.ACCEPTED)] == [(each.violation, each.outcome) for each in record.triage]


async def test_one_key_runs_clean_code() -> None:
    """ctrl+r submits, decides and follows."""
    engine = FakeEngine()
    engine.decides = True
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: bool(engine.decided))
        ((id, outcome, digest, *_),) = engine.decided
        assert DecisionOutcome.APPROVED is outcome
        assert engine.cases[id].submission.digest == digest
        assert not app.screen.is_modal


class AsksForOutputEarly(FakeEngine):
    """Decides only once the output was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.decides = True
        self.asked = asyncio.Event()

    async def decide(self, *what: Any, **more: Any) -> Case:
        await self.asked.wait()
        return await super().decide(*what, **more)

    async def output(self, id: str, offset: int = 0) -> AsyncIterator[OutputChunk]:
        self.asked.set()
        async for each in super().output(id, offset):
            yield each


async def test_output_is_asked_for_together_with_the_decision() -> None:
    """The first of it waits for no other request."""
    engine = AsksForOutputEarly()
    engine.written["s-0"] = [chunk("early output\n")]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: "early output" in frame(app))
        assert 1 == len(engine.decided)


async def test_what_was_pasted_just_before_is_what_runs() -> None:
    """In its own language, though the key came before the paste was handled."""
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "ctrl+l")
        await until(pilot, lambda: bool(app.screen.query(Editor)))
        app.screen.query_one(Editor).focus()
        await pilot.pause()
        app.post_message(events.Paste("import json\nprint(json.dumps(1))\n"))
        app.post_message(events.Key("ctrl+r", "\x12"))
        await until(pilot, lambda: bool(engine.submitted))
        (draft,) = engine.submitted
        assert ("import json\nprint(json.dumps(1))\n", Language.PYTHON) == (draft.code.text, draft.language)


async def test_what_is_grave_runs_by_a_second_key_or_not_at_all() -> None:
    """The sheet names the violation; escape withdraws the submission and leaves the text as it was."""
    engine = FakeEngine()
    engine.decides, engine.analysis = True, Analysis(violations=(HIGH,))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunSheet))
        assert "reads the whole environment" in frame(app)
        await press(pilot, "escape")
        await until(pilot, lambda: Status.DENIED is engine.cases["s-0"].status)
        assert not engine.decided
        assert "x" == app.screen.query_one(Editor).text
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunSheet))
        sheet = app.screen
        assert isinstance(sheet, RunSheet)
        await until(pilot, lambda: sheet.displayed_long_enough)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.decided))
        (record,) = engine.review_records
        assert record is not None
        assert [0] == [each.violation for each in record.triage]


async def test_a_syntax_error_is_called_one() -> None:
    """To the author of the code it is no risk; beside an act that is grave it is one more finding."""
    engine = FakeEngine()
    engine.decides, engine.analysis = True, Analysis(violations=(SYNTAX,))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunSheet))
        await until(pilot, lambda: "This code has a syntax error" in frame(app))
        assert "HIGH" not in str(app.screen.query_one("RunSheet Static").render())
        engine.analysis = Analysis(violations=(SYNTAX, HIGH))
        await press(pilot, "escape", "ctrl+r")
        await until(pilot, lambda: "Run this code?" in frame(app))


async def test_in_a_team_it_waits_for_a_reviewer() -> None:
    """A refusal of the engine is shown, and the submission stays pending."""
    engine = FakeEngine()
    engine.decides, engine.refusal = True, Problem(403, "a reviewer has to approve it")
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: "pending review  waits for a reviewer" in plain(app))
        assert " 59:" in plain(app)
        assert Status.PENDING is engine.cases["s-0"].status


@pytest.mark.parametrize(("proven", "asks"), [(True, False), (False, True)])
async def test_what_another_program_saved_runs_at_once_only_if_it_is_proven(
    tmp_path: Path, proven: bool, asks: bool
) -> None:
    """Run on save is no decision about text that nobody has seen."""
    path = tmp_path / "work.py"
    path.write_text("1\n", encoding="utf-8")
    engine = FakeEngine()
    engine.decides = True
    engine.analysis = Analysis(verdict=Verdict.HARMLESS if proven else Verdict.UNPROVEN)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, OpenScreen))
        app.screen.query_one(Input).value = str(path)
        await press(pilot, "enter")
        await until(pilot, lambda: not app.screen.is_modal and app.screen.query_one(Editor).text == "1\n")
        await press(pilot, "ctrl+s")
        path.write_text("2\n", encoding="utf-8")
        await until(pilot, lambda: bool(engine.decided) or isinstance(app.screen, RunSheet), 60)
        assert asks is isinstance(app.screen, RunSheet)
