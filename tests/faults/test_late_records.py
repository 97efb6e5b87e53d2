"""A disk that hangs within a commit records late what was refused: once, and nothing runs because of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.history.api import Once
from engine.history.errors import AlreadyRecordedError, HistoryError
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, DecisionOutcome, Event, Status
from engine.settings import HistorySettings
from tests.faults.injection import Injector, injecting
from tests.faults.scenario import ADA
from tests.faults.test_background_records import Stage, stage, until_async

__all__ = ["stage"]
SETTINGS = HistorySettings(write_deadline_seconds=0.1, batch_milliseconds=1)
WHO = Untrusted("ada")
FACTS = {"name": "KEY", "host": "api.test"}


async def recorded(store: SqliteHistoryStore) -> Counter[tuple[str, str]]:
    """Count the events by type and subject."""
    return Counter((event.type, event.subject) for event in await store.read.events())


async def test_an_append_that_is_tried_again_writes_once(tmp_path: Path) -> None:
    """The first attempt is given up and written late; the second one returns what it wrote."""
    injector = Injector()
    with injecting(injector):
        store = await SqliteHistoryStore.open(tmp_path / "pratique.db", SETTINGS)
        once, other = Once(), Once()
        injector.arm("Ledger.commit", "hang")
        with pytest.raises(HistoryError, match="did not answer"):
            await store.append("secret.set", "KEY", WHO, FACTS, once=once)
        injector.lift()
        event = await store.append("secret.set", "KEY", WHO, FACTS, once=once, patient=True)
        again = await store.append("secret.set", "KEY", WHO, FACTS, once=other)
        assert [event.seq, again.seq] == [one.seq for one in await store.read.events()]
        await store.close()


async def test_an_attempt_that_was_rolled_back_is_written_by_the_next(tmp_path: Path) -> None:
    """What failed was not written: the same record is made by the second attempt."""
    injector = Injector()
    with injecting(injector):
        store = await SqliteHistoryStore.open(tmp_path / "pratique.db", SETTINGS)
        once = Once()
        injector.arm("Ledger.commit", "full")
        with pytest.raises(HistoryError):
            await store.append("secret.set", "KEY", WHO, FACTS, once=once)
        injector.lift()
        await store.append("secret.set", "KEY", WHO, FACTS, once=once)
        assert Counter({("secret.set", "KEY"): 1}) == await recorded(store)
        assert (await store.verify()).intact
        await store.close()


async def _hangs(stage: Stage, case: Case, outcome: DecisionOutcome) -> None:
    first = (await stage.submitted("print(0)")).submission  # the key of the reviewer is registered with it
    await stage.engine.submissions.decide(first.id, ADA, DecisionOutcome.DENIED, first.digest)
    stage.injector.arm("Ledger.commit", "hang")
    with pytest.raises(HistoryError, match="did not answer"):
        await stage.engine.submissions.decide(case.submission.id, ADA, outcome, case.submission.digest)
    stage.injector.lift()
    await until_async(lambda: stage.recorded("decision.made", case.submission.id))


@pytest.mark.parametrize("second", [DecisionOutcome.APPROVED, DecisionOutcome.DENIED])
@pytest.mark.parametrize("first", [DecisionOutcome.APPROVED, DecisionOutcome.DENIED])
async def test_a_decision_that_was_refused_and_recorded_late_is_the_only_one(
    stage: Stage, first: DecisionOutcome, second: DecisionOutcome
) -> None:
    """Deciding again is refused with what happened; the engine then agrees with its history; nothing ran."""
    case = await stage.submitted("print(1)")
    id = case.submission.id
    await _hangs(stage, case, first)
    answers = r"has been recorded|is over|is not pending"  # its deadline may have passed before
    with pytest.raises(Problem, match=answers):
        await stage.engine.submissions.decide(id, ADA, second, case.submission.digest)
    async with asyncio.timeout(20):
        over = await stage.engine.queries.finished(id)
    assert (Status.KILLED if first is DecisionOutcome.APPROVED else Status.DENIED) is over.status
    types = Counter(event.type for event in await stage.engine.queries.trail(id))
    assert 1 == types["decision.made"]
    assert Counter() == stage.machine.executed
    assert "recording" not in await stage.red()


async def test_a_refused_decision_does_no_harm_to_its_company(stage: Stage) -> None:
    """Records that share its transaction are made."""
    case = await stage.submitted("print(1)")
    await _hangs(stage, case, DecisionOutcome.DENIED)
    log, subject = stage.engine._log, case.submission.id
    (made,) = [one for one in await log.read.events(subject=subject) if one.type == "decision.made"]
    jobs = [log.append("decision.made", subject, WHO, made.data), log.append("secret.set", "A", WHO, FACTS)]
    refused, kept = await asyncio.gather(*jobs, return_exceptions=True)
    assert isinstance(refused, AlreadyRecordedError)
    assert not isinstance(kept, BaseException)


async def test_a_refused_submission_that_is_recorded_late_does_not_run(stage: Stage) -> None:
    """Where it is in the history it is open, for the next engine; this one does not know it."""

    def arm(event: Event) -> None:
        if event.type == "submission.analysed":
            stage.injector.arm("Ledger.commit", "hang")

    stage.engine.queries.listen(arm)
    with pytest.raises(HistoryError, match="did not answer"):
        await stage.submitted("print(2)")
    stage.injector.lift()
    await stage.engine._log.append("secret.set", "KEY", WHO, FACTS, patient=True)
    for late in await stage.engine._log.read.open_cases():
        assert Status.PENDING is late.status
        assert stage.engine.work_queue.find(late.submission.id) is None
    assert Counter() == stage.machine.executed
    assert (await stage.engine._log.verify()).intact
