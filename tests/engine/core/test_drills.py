"""Drills never run, whoever approves them and how; while they wait they look like anything else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from engine.common.errors import Problem
from engine.core import Engine
from engine.core.drills import catalogue
from engine.core.drills.schedule import stranger_like
from engine.core.queue import ActiveSubmission
from engine.models import (
    Case,
    DecisionOutcome,
    Draft,
    Grant,
    KillReason,
    Level,
    MatchMode,
    Principal,
    ReviewRecord,
    ShownBy,
    Status,
)
from engine.models.api import BulkDecision, DecisionRequest
from engine.models.past_decisions import DrillOutcome
from tests.engine.core.drilling import ADA, AGENT, BOB, REAL, code_of, drill, drilled_engine, settled
from tests.faults.machine import Machine

SECONDS = 60
Way = Callable[[Engine, ActiveSubmission], Awaitable[object]]


async def by_decision(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve it as any reviewer does."""
    shown = entry.case.submission.digest
    return await engine.submissions.decide(entry.id, ADA, DecisionOutcome.APPROVED, shown, "fine")


async def in_bulk(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve it as one of several."""
    made = DecisionRequest(outcome=DecisionOutcome.APPROVED, digest=entry.case.submission.digest)
    return await engine.bulk.decide((BulkDecision(id=entry.id, decision=made),), ADA)


async def as_equivalent(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve it with the record of an equivalent one, which a real agent submitted."""
    draft = entry.case.submission.draft
    twin = await engine.submissions.submit(draft, AGENT)
    record = ReviewRecord(seconds=9, shown_by=ShownBy.CONSOLE, equivalent_to=twin.submission.id)
    shown = entry.case.submission.digest
    return await engine.submissions.decide(
        entry.id, ADA, DecisionOutcome.APPROVED, shown, review_record=record
    )


async def with_less(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve it with a grant of its own."""
    grant = Grant(permissions=entry.case.submission.draft.permissions)
    shown = entry.case.submission.digest
    return await engine.submissions.decide(entry.id, ADA, DecisionOutcome.APPROVED, shown, grant=grant)


async def started_past_the_decision(engine: Engine, entry: ActiveSubmission) -> object:
    """Start it as if it had been approved."""
    entry.case = entry.case.model_copy(update={"status": Status.QUEUED})
    with engine.runs.starting(entry, entry.case):
        pass
    return await engine.queries.finished(entry.id)


async def approved_of_an_agent(engine: Engine, draft: Draft) -> Case:
    """Return the case of code that an agent submitted and ADA approved, once it is over."""
    case = await engine.submissions.submit(draft, AGENT)
    id, shown = case.submission.id, case.submission.digest
    await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, shown)
    ended = await engine.queries.finished(id)
    assert ended.result is not None
    assert KillReason.POLICY is ended.result.kill_reason
    return ended


async def of_a_real_agent(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve the same code, submitted by an agent."""
    return await approved_of_an_agent(engine, entry.case.submission.draft)


async def pre_approved(engine: Engine, entry: ActiveSubmission) -> object:
    """Approve code of a drill beforehand, and submit it again."""
    draft = catalogue.draft_of("cleanup-of-everything", Random(1))  # noqa: S311  words
    case = await approved_of_an_agent(engine, draft)
    await engine.pre_approvals.create(case, ADA, MatchMode.EXACT, Level.HIGH, 5, 1)
    again = await engine.submissions.submit(draft, AGENT)
    ended = await engine.queries.finished(again.submission.id)
    assert ended.decision is not None
    assert ended.decision.pre_approval
    return ended


async def rehearsed(engine: Engine, entry: ActiveSubmission) -> object:
    """Rehearse it, which runs anything else."""
    with pytest.raises(Problem, match="was a drill, which never runs"):
        await engine.rehearsals.rehearse(entry.id, ADA)
    return None


async def revived_when_over(engine: Engine, entry: ActiveSubmission) -> object:
    """Let it expire, and wait again."""
    await engine.submissions.expired(entry)
    with pytest.raises(Problem, match="did not expire: it is drill"):
        await engine.revivals.revive(entry.id, ADA)
    return None


async def submitted_again(engine: Engine, entry: ActiveSubmission) -> object:
    """Let it wait once more past the check of what expired, and approve that."""

    async def link(_: str) -> None: ...

    case = await engine.submissions.submit_again(entry.case.submission, link)
    shown = case.submission.digest
    await engine.submissions.decide(case.submission.id, ADA, DecisionOutcome.APPROVED, shown)
    return await engine.queries.finished(case.submission.id)


WAYS: tuple[Way, ...] = (
    by_decision, in_bulk, as_equivalent, with_less, started_past_the_decision, of_a_real_agent, pre_approved,
    rehearsed, revived_when_over, submitted_again,
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
async def test_a_drill_never_runs(home: Path, way: Way) -> None:
    """Each way that approves code, or starts it, starts nothing of a drill."""
    machine = Machine()
    async with drilled_engine(home, machine) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        await way(engine, entry)
        ran = {code.decode() for code in await settled(engine, machine)}
        assert not any(text in ran for sample in catalogue.SAMPLES for text in sample.texts())


async def test_the_machine_runs_what_is_no_drill(home: Path) -> None:
    """What is approved beside a drill runs: that nothing of a drill did is not the machine's doing."""
    machine = Machine()
    async with drilled_engine(home, machine) as engine, asyncio.timeout(SECONDS):
        await drill(engine)
        (real,) = [entry for entry in engine.work_queue if not entry.is_drill]
        await by_decision(engine, real)
        await engine.queries.finished(real.id)
        assert {code_of(real.case)} == await settled(engine, machine)


async def test_a_drill_never_runs_where_the_policy_needs_nobody(home: Path) -> None:
    """A rule that approves its requester at once approves no drill: it ends unanswered."""
    rule = "{id: trusted, risk: low, lowers: code-execution, reason: known, when: {operation: run}}"
    (home / "policy.yaml").write_text(f"rules:\n  - {rule}\n")
    machine = Machine()
    async with drilled_engine(home, machine) as engine, asyncio.timeout(SECONDS):
        await engine.submissions.submit(REAL, AGENT)
        while not (ended := await engine.queries.history("status:drill")):
            await engine.work_queue.wait_for_event(engine.queries.latest)
        case = await engine.queries.case(ended[0].id)
        assert code_of(case) not in await settled(engine, machine)


async def test_code_of_a_drill_never_runs_where_its_mark_is_lost(home: Path) -> None:
    """Without the file that recognises drills, an open one is a submission like any other, and still dead."""
    machine = Machine()
    async with drilled_engine(home, machine) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
    (home / "drills.json").unlink()
    async with drilled_engine(home, machine) as engine, asyncio.timeout(SECONDS):
        (again,) = [each for each in engine.work_queue if each.id == entry.id]
        await by_decision(engine, again)
        await engine.queries.finished(again.id)
        assert code_of(entry.case) not in await settled(engine, machine)


async def test_the_first_of_two_reviewers_ends_a_drill(home: Path) -> None:
    """No first approval of it is on record: that would tell everybody who missed it."""
    async with drilled_engine(home, Machine(), profile="team") as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        case = await by_decision(engine, entry)
        assert isinstance(case, Case)
        assert Status.DRILL is case.status
        types = [event.type for event in await engine.queries.trail(entry.id)]
        assert "decision.first_approval" not in types


async def test_a_drill_is_still_one_after_a_restart(home: Path) -> None:
    """The next engine knows it by its id, and ends it as what it is."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
    async with drilled_engine(home, Machine(), drill_every=0) as engine, asyncio.timeout(SECONDS):
        again = engine.work_queue.find(entry.id)
        assert again is not None
        await by_decision(engine, again)
        assert 1 == (await engine.drills.score(ADA)).missed


ANSWERS = {
    DecisionOutcome.DENIED: DrillOutcome.CAUGHT,
    DecisionOutcome.CHANGES_REQUESTED: DrillOutcome.CAUGHT,
    DecisionOutcome.APPROVED: DrillOutcome.MISSED,
}


@pytest.mark.parametrize("outcome", ANSWERS)
async def test_the_reviewer_is_told_afterwards_and_nobody_else_is(
    home: Path, outcome: DecisionOutcome
) -> None:
    """The answer says that it was a drill and what was in it; the score is the reviewer's alone."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        shown = entry.case.submission.digest
        case = await engine.submissions.decide(entry.id, ADA, outcome, shown, "see line 3")
        (answer,) = (await engine.drills.score(ADA)).answers
        assert (Status.DRILL, answer.what) == (case.status, case.drill)
        assert ANSWERS[outcome] is answer.outcome
        assert () == (await engine.drills.score(BOB)).answers
        events = await engine.queries.trail(entry.id)
        told = json.dumps([event.model_dump(mode="json") for event in events])
        assert "drill.ended" == events[-1].type
        assert '"ada"' not in told
        assert "see line 3" not in told
        stored = (await engine.queries.case(entry.id)).model_dump_json()
        assert not any(word in stored for word in ('"ada"', '"caught"', '"missed"'))
        assert 'ada"' not in (home / "drills.json").read_text()


async def test_a_rehearsal_ends_a_drill_as_neither_caught_nor_missed(home: Path) -> None:
    """Whoever wants to rehearse it is told what it was."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        await rehearsed(engine, entry)
        score = await engine.drills.score(ADA)
        assert (0, 0, 1) == (score.caught, score.missed, score.rehearsed)


async def test_what_nobody_answers_ends_silently(home: Path) -> None:
    """It is on no list of what expired, and in nobody's score."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        await engine.submissions.expired(entry)
        assert Status.DRILL is (await engine.queries.case(entry.id)).status
        assert () == await engine.queue_listing.expired()
        assert () == (await engine.drills.score(ADA)).answers


async def test_while_it_waits_a_drill_looks_like_any_other(home: Path) -> None:
    """The same fields and events, a requester of the same kind, and no word that gives it away."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        (real,) = [each for each in engine.work_queue if not each.is_drill]
        kinds = [[event.type for event in await engine.queries.trail(each.id)] for each in (entry, real)]
        assert kinds[0] == kinds[1]
        facts = [(await engine.queries.trail(each.id))[0].data for each in (entry, real)]
        assert facts[0].keys() == facts[1].keys()
        cases = [each.case.model_dump(mode="json") for each in (entry, real)]
        assert cases[0].keys() == cases[1].keys()
        assert cases[0]["submission"].keys() == cases[1]["submission"].keys()
        listed = {one.summary.id: one.model_dump(mode="json") for one in await engine.queue_listing.entries()}
        assert listed[entry.id].keys() == listed[real.id].keys()
        assert "drill" not in json.dumps([cases[0], listed[entry.id]])
        assert len(entry.id) == len(real.id)
        assert entry.id in [one.id for one in await engine.queries.history("status:pending")]


def test_no_agent_owns_a_drill() -> None:
    """It has the form of its model's name and id, and is nobody's."""
    stranger = stranger_like(AGENT)
    assert not stranger.is_same(AGENT)
    label, _, suffix = stranger.name.text.partition("#")
    assert ("claude", True) == (label, stranger.id.startswith(f"uid:1000/agent:{suffix}"))
    assert len(AGENT.id) == len(stranger.id)
    token = Principal(name=AGENT.name, id="token:t-0a1b2c3d")
    assert (False, 16) == (stranger_like(token).is_same(token), len(stranger_like(token).id))


async def test_a_drill_takes_nothing_from_an_agents_quota(home: Path) -> None:
    """Whoever may have one submission has it beside a drill in its name."""
    settings = {"submissions_burst": 2, "submissions_per_minute": 0.001}
    async with drilled_engine(home, Machine(), **settings) as engine, asyncio.timeout(SECONDS):
        await drill(engine)
        again = await engine.submissions.submit(REAL, AGENT)
        assert Status.PENDING is again.status


async def test_an_ended_drill_is_in_no_figure(home: Path) -> None:
    """Trends count what is real; the history finds the drill as what it was."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        await by_decision(engine, entry)
        trends = await engine.history.trends(1)
        assert (1, {AGENT.name.text: 1}) == (trends.submissions, trends.busiest)
        assert [entry.id] == [one.id for one in await engine.queries.history("status:drill")]


async def test_no_drill_comes_unless_wanted(home: Path) -> None:
    """The setting is off by default, and then no file is made."""
    async with drilled_engine(home, Machine(), drill_every=0) as engine, asyncio.timeout(SECONDS):
        await engine.submissions.submit(REAL, AGENT)
        assert not engine.drills.ready
        assert not (home / "drills.json").exists()


async def test_the_history_of_a_drill_holds(home: Path) -> None:
    """The chain verifies, and so does the case file of the drill."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        await by_decision(engine, entry)
        assert (await engine.queries.verify()).intact
        assert await engine.history.case_file(entry.id, ADA)
