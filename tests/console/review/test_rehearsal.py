"""The key that rehearses what waits, its sheet, and where a result appears."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from console.review.answer.effects import effect_rows
from console.review.rehearsal.sheet import RehearsalScreen
from console.review.rehearsal.words import rehearsal_paragraphs
from console.review.violations import ViolationList
from engine.common.text import Untrusted
from engine.models import Case, InputFile, Level
from engine.models.observed import Observation, ObservationStatus, ObservedEffect, ObservedKind
from engine.models.rehearsal import (
    REHEARSAL_RULE,
    Contact,
    FindingKind,
    Rehearsal,
    RehearsalFinding,
)
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import frame, open_console, press, until

SIZES = [(80, 24), (120, 36), (200, 60)]
LEFT = "a decoy left: AWS key in POST to collect.example"
ONE = case("s-1", "print(1)\n" * 9, violations=(violation(span(1, 1, 4)),))
TWO = case("s-2", "print(2)\n", files=(InputFile(name=Untrusted("a.csv"), content=b"1"),))


def convicted(id: str) -> Rehearsal:
    """Return a rehearsal in which a key left."""
    effects = (
        ObservedEffect(number=1, kind=ObservedKind.READ, target=Untrusted("/workspace/.aws/credentials"),
                       process=Untrusted("the program")),
        ObservedEffect(number=2, kind=ObservedKind.PROCESS, target=Untrusted("/usr/bin/ls"),
                       detail=Untrusted("ls -l")),
        ObservedEffect(number=3, kind=ObservedKind.READ, target=Untrusted("/etc/passwd"),
                       process=Untrusted("/usr/bin/ls")),
    )  # fmt: skip
    return Rehearsal(
        submission=id, by=Untrusted("ada"), at=datetime.now(UTC), seconds=1.2, exit_code=0,
        findings=(RehearsalFinding(kind=FindingKind.LEAK, subject="AWS key", contact=1,
                                   where=Untrusted("POST to collect.example")),),
        contacts=(Contact(number=1, at=0.5, host=Untrusted("collect.example"), port=443, protocol="https",
                          method=Untrusted("POST"), path=Untrusted("/in"), sent=99,
                          excerpt=Untrusted("key=AKIA")),),
        effects=effects, changed=(Untrusted("out.txt"),), output=Untrusted("done\n"),
        observation=Observation(status=ObservationStatus.COMPLETE, events=9),
    )  # fmt: skip


def proven(known: Case) -> Case:
    """Return a case with what such a rehearsal proves."""
    proof = violation(span(2, 1, 4), LEFT, Level.CRITICAL).model_copy(update={"rule": REHEARSAL_RULE})
    return known.model_copy(update={"analysis": known.analysis.with_violations((proof,))})


def plain(app: object) -> str:
    """Return the frame without styles."""
    return re.sub(r"\x1b\[[0-9;]*[mH]", "", frame(app))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES)
async def test_one_key_rehearses_and_shows_what_was_proven(size: tuple[int, int]) -> None:
    """Asked for, in progress and found: the proof is at the top, selected, and beside the predictions."""
    engine = FakeEngine(ONE, TWO)
    engine.rehearsals_of["s-1"] = convicted("s-1")
    async with open_console(engine, size) as (app, pilot):
        await press(pilot, "R")
        await until(pilot, lambda: "Nothing is granted" in plain(app))
        assert [] == engine.withheld
        await press(pilot, "enter")
        await until(pilot, lambda: "x stops it" in plain(app))
        engine.cases["s-1"] = proven(ONE)
        engine.rehearsed.set()
        await until(pilot, lambda: "key=AKIA" in plain(app))
        await until(pilot, lambda: f"CONVICTED: {LEFT}" in plain(app))
        parts = ("~/.aws/credentials", "ls -l", "out.txt", "collect.example:443 POST /in")
        await until(pilot, lambda: all(part in plain(app) for part in parts))
        await press(pilot, "escape")
        await until(pilot, lambda: len(app.screen_stack) == 1 and "Rehearsal CONVICTED" in plain(app))
        await until(pilot, lambda: app.screen.query_one(ViolationList).cursor == 1)
        await until(pilot, lambda: ("rehearsed" in plain(app)) == (size[0] >= 100))


async def test_a_result_goes_to_its_own_submission() -> None:
    """It arrives while another submission is displayed, which stays as it was."""
    engine = FakeEngine(ONE, TWO)
    engine.rehearsals_of["s-1"] = convicted("s-1")
    async with open_console(engine) as (app, pilot):
        await press(pilot, "R", "enter", "escape", "]")
        await until(pilot, lambda: "print(2)" in plain(app))
        engine.cases["s-1"] = proven(ONE)
        engine.rehearsed.set()
        await until(pilot, lambda: "Rehearsal of s-1" in plain(app))
        assert "Rehearsal CONVICTED" not in plain(app)
        await press(pilot, "[")
        await until(pilot, lambda: "Rehearsal CONVICTED" in plain(app))


async def test_a_rehearsal_is_stopped_with_its_input_files_withheld() -> None:
    """The sheet says that it was stopped, and asks again."""
    engine = FakeEngine(TWO)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "R", "w", "enter")
        await until(pilot, lambda: [True] == engine.withheld)
        await press(pilot, "x")
        await until(pilot, lambda: "it was stopped by operator" in plain(app))
        assert isinstance(app.screen, RehearsalScreen)
        assert "Run it now" in plain(app)


async def test_what_cannot_be_rehearsed_says_why() -> None:
    """A step of a session, and anything while isolation is not proven."""
    draft = ONE.submission.draft.model_copy(update={"session": "x-1"})
    step = ONE.with_submission(ONE.submission.model_copy(update={"draft": draft}))
    async with open_console(FakeEngine(step)) as (app, pilot):
        await press(pilot, "R")
        await until(pilot, lambda: "belongs to a session" in plain(app))
    engine = FakeEngine(ONE, isolated=False)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "R")
        await until(pilot, lambda: "isolation is not proven" in plain(app))
        assert [] == engine.withheld


async def test_rehearsals_that_others_start_are_followed() -> None:
    """Those of another reviewer, or of the policy."""
    engine = FakeEngine(ONE)
    engine.rehearsals_of["s-1"] = convicted("s-1")
    async with open_console(engine) as (app, pilot):
        engine.happen("rehearsal.started", "s-1")
        await until(pilot, lambda: "Rehearsing" in plain(app))
        engine.rehearsed.set()
        engine.put(proven(ONE), "rehearsal.ended")
        await until(pilot, lambda: "Rehearsal CONVICTED" in plain(app))


def test_the_table_has_what_was_seen_beside_what_was_predicted() -> None:
    """What `ls` reads by itself is no surprise; a row that only a rehearsal filled is there."""
    rows = {row.label: row for row in effect_rows(ONE, convicted("s-1"))}
    assert ("collect.example",) == rows["contacts"].rehearsed
    assert rows["contacts"].surprises
    assert ("~/.aws/credentials",) == rows["reads"].rehearsed
    assert (("ls",), ("out.txt",)) == (rows["starts"].rehearsed, rows["writes"].rehearsed)


def test_what_was_not_observed_is_not_said_to_be_nothing() -> None:
    """Contacts are known by themselves; files and processes only where the kernel reported them."""
    unseen = convicted("s-1").model_copy(update={"observation": None, "effects": (), "changed": ()})
    said = "\n".join(
        "".join(str(part[0] if isinstance(part, tuple) else part) for part in line)
        for line in rehearsal_paragraphs(unseen)
    )
    assert "files and processes: not observed" in said
    assert "nothing seen" not in said
    assert {"contacts"} == {row.label for row in effect_rows(ONE, unseen) if row.rehearsed is not None}


def test_what_did_not_run_is_not_said_to_be_harmless() -> None:
    """It has no result, and says why."""
    stopped = Rehearsal(submission="s-1", by=Untrusted("ada"), at=datetime.now(UTC)).with_note(
        "it was stopped"
    )
    first = rehearsal_paragraphs(stopped)[0][0]
    assert "no result: it was stopped" == (first[0] if isinstance(first, tuple) else first)
