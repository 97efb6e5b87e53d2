"""What becomes of submissions: refused, expired, denied, turned away, and claimed by reviewers."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.submissions.normalisation import add_implied_permissions
from engine.models import (
    DecisionOutcome,
    Draft,
    InputFile,
    Language,
    Operation,
    OperationKind,
    Permissions,
    Principal,
    Role,
    Status,
)
from engine.principals import verify
from engine.settings import PolicySettings, ServerSettings
from tests.engine.core.conftest import EngineMaker

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))

pytestmark = pytest.mark.usefixtures("no_docker")


def draft(code: str = "print(6 * 7)", **changes: object) -> Draft:
    """Return a draft of Python code."""
    made = Draft(code=Untrusted(code), language=Language.PYTHON)
    return made.model_copy(update=changes)


async def types(engine: Engine, id: str) -> list[str]:
    """Return the types of the events about a submission."""
    return [event.type for event in await engine.queries.trail(id)]


async def test_a_deny_is_signed_and_bound(engine_with: EngineMaker) -> None:
    """A deny names the policy and the analysis, and its signature holds."""
    async with engine_with() as engine:
        case = await engine.submissions.submit(draft(), AGENT)
        id, digest = case.submission.id, case.submission.digest
        decision = (await engine.submissions.decide(id, ADA, DecisionOutcome.DENIED, digest, "no")).decision
        assert decision is not None
        assert engine.policy.current.hash == decision.policy
        assert verify(decision, engine._keys.key_of(decision.by.name.text))
        stored = await engine.queries.case(id)
        assert decision == stored.decision


async def test_who_is_no_reviewer_decides_nothing(engine_with: EngineMaker) -> None:
    """A requester's and an auditor's word is refused with 403, and the submission waits on."""
    async with engine_with() as engine:
        case = await engine.submissions.submit(draft(), AGENT)
        auditor = Principal(name=Untrusted("eve"), roles=frozenset({Role.AUDITOR}))
        for by in (AGENT, auditor, Principal(name=Untrusted("policy"), roles=frozenset())):
            with pytest.raises(Problem, match="is not a reviewer") as refused:
                await engine.submissions.decide(
                    case.submission.id, by, DecisionOutcome.APPROVED, case.submission.digest
                )
            assert 403 == refused.value.status
        assert Status.PENDING is (await engine.queries.case(case.submission.id)).status


async def test_nobody_decided_is_no_no(engine_with: EngineMaker) -> None:
    """Past its deadline a submission is expired, by nobody, and told after how long."""
    async with engine_with(policy=PolicySettings(base="strict", deadlines={"high": 0.1})) as engine:
        case = await engine.submissions.submit(draft(), AGENT)
        over = await engine.queries.finished(case.submission.id)
        assert over.decision is not None
        assert (Status.EXPIRED, "nobody decided within 0.1 s") == (over.status, over.decision.reason.text)
        with pytest.raises(Problem, match="is over"):
            await engine.submissions.decide(
                case.submission.id, ADA, DecisionOutcome.APPROVED, case.submission.digest
            )


async def test_a_rule_refuses_by_name(engine_with: EngineMaker, home: Path) -> None:
    """What policy refuses is refused, not denied, and the rule is named."""
    (home / "policy.yaml").write_text("rules:\n  - {id: no-xmrig, refuse: true, when: {code: xmrig}}\n")
    async with engine_with() as engine:
        case = await engine.submissions.submit(draft("xmrig = 1"), AGENT)
        assert case.decision is not None
        assert (Status.REFUSED, DecisionOutcome.REFUSED) == (case.status, case.decision.outcome)
        assert case.decision.reason.text.startswith("the rule no-xmrig: line 1")
        assert [
            "submission.created",
            "submission.analysed",
            "submission.assessed",
            "decision.made",
        ] == await types(engine, case.submission.id)


async def test_low_risk_that_cannot_run_is_refused(engine_with: EngineMaker, home: Path) -> None:
    """Without a proof of gVisor even LOW does not run, and nothing waits for ever."""
    (home / "policy.yaml").write_text("rules:\n  - {id: clean-code, enabled: true}\n")
    async with engine_with() as engine:
        case = await engine.submissions.submit(draft(), AGENT)
        assert case.decision is not None
        assert Status.REFUSED is case.status
        assert "gVisor is not proven" in case.decision.reason.text


async def test_a_saved_policy_judges_the_next_submission(engine_with: EngineMaker, home: Path) -> None:
    """A policy saved while the engine runs is in force for what comes after."""
    async with engine_with() as engine:
        events = engine.queries.events()
        (home / "policy.yaml").write_text("deadlines: {high: 600}\n")
        async for event in events:
            if event.type == "policy.loaded" and event.data["policy"] == engine.policy.current.hash:
                break
        case = await engine.submissions.submit(draft(), AGENT)
        assert 600.0 == case.assessment.deadline_seconds


async def test_too_many_are_told_when_to_come_back(engine_with: EngineMaker) -> None:
    """Over its rate a requester gets 429 with a time, on record; others and what was accepted stay."""
    policy = PolicySettings(base="strict", submissions_burst=2, submissions_per_minute=6)
    async with engine_with(policy=policy) as engine:
        for code in ("a = 1", "b = 1"):
            await engine.submissions.submit(draft(code), AGENT)
        with pytest.raises(Problem) as refused:
            await engine.submissions.submit(draft("c = 1"), AGENT)
        assert 429 == refused.value.status
        assert 1 <= (refused.value.retry_after or 0) <= 10
        await engine.submissions.submit(draft("d = 1"), ADA)
        assert 3 == len(await engine.queries.queue())
        assert "submission.throttled" in await types(engine, "")


async def test_a_full_queue_takes_nothing_in(engine_with: EngineMaker) -> None:
    """Over the bound of the queue everybody gets 429, and what was accepted stays."""
    async with engine_with(server=ServerSettings(max_pending=1)) as engine:
        await engine.submissions.submit(draft(), AGENT)
        with pytest.raises(Problem) as refused:
            await engine.submissions.submit(draft("b = 1"), ADA)
        assert (429, 1) == (refused.value.status, len(await engine.queries.queue()))


async def test_nobody_fills_the_queue_alone(engine_with: EngineMaker) -> None:
    """Over its own part a requester is told how many are its own, and what to do; others get in."""
    async with engine_with(server=ServerSettings(max_pending=3, max_pending_each=1)) as engine:
        await engine.submissions.submit(draft(), ADA)
        await engine.submissions.submit(draft("b = 1"), AGENT)
        with pytest.raises(Problem, match="1 submissions of yours wait or run already, of 2") as refused:
            await engine.submissions.submit(draft("c = 1"), AGENT)
        assert (429, 2) == (refused.value.status, len(await engine.queries.queue()))
        assert refused.value.hint.startswith("Withdraw some that wait, or come back in ")


async def test_as_many_at_once_as_there_is_room_for(engine_with: EngineMaker) -> None:
    """Of forty that come at the same time by four requesters exactly the part of each is taken in."""
    async with engine_with(server=ServerSettings(max_pending_each=5)) as engine:
        names = [Principal(name=Untrusted(f"a{n}"), roles=AGENT.roles) for n in range(4)] * 10
        drafts = [draft(f"n = {n}") for n in range(40)]
        answers = await asyncio.gather(*map(engine.submissions.submit, drafts, names), return_exceptions=True)
        assert 20 == sum(isinstance(answer, Problem) for answer in answers)
        inside = Counter(summary.requester.text for summary in await engine.queries.queue())
        assert {"a0": 5, "a1": 5, "a2": 5, "a3": 5} == inside


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (413, {"code": Untrusted("x = 1\n" * 100)}),
        (413, {"files": tuple(InputFile(name=Untrusted(f"{n}"), content=b"") for n in range(3))}),
        (422, {"files": (InputFile(name=Untrusted("a"), content=b""),) * 2}),
        (422, {"permissions": Permissions.model_validate({"limits": {"memory_mb": 999_999}})}),
    ],
)
async def test_what_is_too_large_is_not_taken_in(
    engine_with: EngineMaker, status: int, changes: dict[str, object]
) -> None:
    """Too much code, too many files, and more than the ceiling are refused before they are analysed."""
    async with engine_with(policy=PolicySettings(base="strict", max_code_bytes=500, max_files=2)) as engine:
        with pytest.raises(Problem) as refused:
            await engine.submissions.submit(draft().model_copy(update=changes), AGENT)
        assert (status, ()) == (refused.value.status, await engine.queries.queue())


WRITE = Operation(kind=OperationKind.WRITE, path=Untrusted("a.csv"))
CONTENT = InputFile(name=Untrusted("a.csv"), content=b"1")


@pytest.mark.parametrize(
    ("said", "code", "call", "files"),
    [
        ("carries no code", "print(1)", WRITE, (CONTENT,)),
        ("one file, that of its path", "", WRITE, ()),
        ("one file, that of its path", "", WRITE, (CONTENT, InputFile(name=Untrusted("b"), content=b""))),
        ("one file, that of its path", "", Operation(kind=OperationKind.READ, path=CONTENT.name), (CONTENT,)),
        (
            "one file, that of its path",
            "",
            Operation(kind=OperationKind.WRITE, path=Untrusted("b.csv")),
            (CONTENT,),
        ),
    ],
)
def test_a_tool_call_carries_what_it_says(
    said: str, code: str, call: Operation, files: tuple[InputFile, ...]
) -> None:
    """What a reviewer is told about a tool call is all that there is in it."""
    with pytest.raises(Problem, match=said):
        add_implied_permissions(draft(code, operation=call, session="b-1", files=files))


async def test_a_session_has_a_rate_of_its_own(engine_with: EngineMaker) -> None:
    """Over the rate of a session its owner gets 429; other submissions of theirs still come in."""
    slow = PolicySettings(base="strict", session_submissions_per_minute=1, session_submissions_burst=1)
    async with engine_with(policy=slow) as engine:
        mine = await engine.sessions.create(AGENT, Language.PYTHON)
        await engine.sessions.execute(mine.id, AGENT, "print(1)")
        with pytest.raises(Problem, match="for session") as refused:
            await engine.sessions.execute(mine.id, AGENT, "print(2)")
        assert 429 == refused.value.status
        assert Status.PENDING is (await engine.submissions.submit(draft(), AGENT)).status
