"""A sandbox is made ready beside the record of an approval; the code starts once that is on disk."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.analysis_pool import AnalysisPool
from engine.history.errors import HistoryError
from engine.history.store.sql.ledger import Ledger
from engine.models import Case, DecisionOutcome, Status
from tests.faults.injection import Injector
from tests.faults.machine import Machine
from tests.faults.scenario import ADA, engine_at
from tests.faults.test_background_records import Stage, stage, until

__all__ = ["stage"]
CODE = "print(1)"
LEAST_MOMENTS = 4
"""Two commits, before and after each."""


async def pending(stage: Stage) -> Case:
    """Return a submission that is claimed, after one that was decided: the reviewer's key is known then."""
    first = (await stage.submitted("print(0)")).submission
    await stage.engine.submissions.decide(first.id, ADA, DecisionOutcome.DENIED, first.digest)
    case = await stage.submitted(CODE)
    return await stage.engine.claims.claim(case.submission.id, ADA)


async def approve(stage: Stage, case: Case) -> Case:
    """Approve it."""
    submission = case.submission
    return await stage.engine.submissions.decide(
        submission.id, ADA, DecisionOutcome.APPROVED, submission.digest
    )


async def types(stage: Stage, case: Case) -> list[str]:
    """Return the types of the events of a submission, the oldest first."""
    return [event.type for event in await stage.engine.queries.trail(case.submission.id)]


async def test_nothing_starts_before_the_approval_is_on_disk(stage: Stage) -> None:
    """A sandbox is there while the disk hangs, and has started nothing; the history has them in order."""
    case = await pending(stage)
    stage.injector.arm("Ledger.commit", "hang")
    deciding = asyncio.create_task(approve(stage, case))
    await until(lambda: bool(stage.machine.alive))
    assert {} == stage.machine.executed
    with pytest.raises(HistoryError, match="did not answer"):
        await deciding
    await until(lambda: not stage.machine.alive)
    assert {} == stage.machine.executed


async def test_an_approval_that_cannot_be_recorded_leaves_nothing(stage: Stage) -> None:
    """Its sandbox goes, and the history says nothing of one; approved again, it runs once."""
    case = await pending(stage)
    before = await types(stage, case)
    stage.fill()
    with pytest.raises(HistoryError):
        await approve(stage, case)
    await until(lambda: not stage.machine.alive)
    stage.injector.lift()
    assert before == await types(stage, case)
    await approve(stage, case)
    await stage.engine.queries.finished(case.submission.id)
    assert {CODE.encode(): 1} == stage.machine.executed


async def test_the_history_has_the_approval_before_the_sandbox_and_the_start(stage: Stage) -> None:
    """Whatever was ready first."""
    case = await pending(stage)
    await approve(stage, case)
    await stage.engine.queries.finished(case.submission.id)
    made = [one for one in await types(stage, case) if one.startswith(("decision", "sandbox", "run.started"))]
    assert ["decision.made", "sandbox.created", "run.started"] == made[:3]


@dataclass
class Moment:
    """What a kill of the engine leaves."""

    home: Path
    had_run: bool


@contextmanager
def copied_at_each_commit(
    home: Path, to: Path, had_run: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Moment]]:
    """Keep the state folder as a kill would leave it, before and after each commit."""
    moments: list[Moment] = []
    commit = Ledger.commit

    def keep() -> None:
        ran = had_run()
        copy = to / str(len(moments))
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("*.sock"))
        moments.append(Moment(copy, ran))

    def watched(ledger: Ledger) -> None:
        keep()
        commit(ledger)
        keep()

    monkeypatch.setattr(Ledger, "commit", watched)
    yield moments
    monkeypatch.setattr(Ledger, "commit", commit)


async def test_a_kill_at_any_commit_runs_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next engine starts nothing; what had run before is approved on disk, and killed or finished."""
    home, copies, machine, pool = tmp_path / "home", tmp_path / "copies", Machine(), AnalysisPool(workers=1)
    home.mkdir()
    monkeypatch.setenv("PRATIQUE_HOME", str(home))
    async with engine_at(home, machine, pool) as engine:
        await engine.health(settled_within=5)
        case = await pending(Stage(engine, machine, Injector()))
        id = case.submission.id
        with copied_at_each_commit(home, copies, lambda: bool(machine.executed), monkeypatch) as moments:
            await approve(Stage(engine, machine, Injector()), case)
            await engine.queries.finished(id)
    assert len(moments) >= LEAST_MOMENTS
    assert {False, True} == {moment.had_run for moment in moments}
    for moment in moments:
        await _check(moment, id, pool, monkeypatch)
    await pool.close()


async def _check(moment: Moment, id: str, pool: AnalysisPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRATIQUE_HOME", str(moment.home))
    machine = Machine()
    async with engine_at(moment.home, machine, pool) as engine:
        await engine.health(settled_within=5)
        case = await engine.queries.case(id)
        assert {} == machine.executed
        ends = {Status.KILLED, Status.FINISHED}
        assert case.status in ends if moment.had_run else case.status in {Status.PENDING, Status.KILLED}
