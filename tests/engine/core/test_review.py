"""Several reviewers: claims, second opinions, and approvals given beforehand."""

from __future__ import annotations

import asyncio

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import (
    DecisionOutcome,
    Draft,
    Language,
    Level,
    MatchMode,
    Principal,
    ReviewRecord,
    Role,
    ShownBy,
    Status,
)
from engine.settings import PolicySettings
from tests.engine.core.conftest import EngineMaker

REVIEWER = frozenset({Role.REVIEWER})
AGENT = Principal(name=Untrusted("agent"))
ADA, BOB = (Principal(name=Untrusted(name), roles=REVIEWER) for name in ("ada", "bob"))
CRITICAL = "rules:\n  - {id: all, risk: critical, when: {operation: run}}\n"
TEAM = PolicySettings(base="strict", profile="team")
SECONDS = 60
SEEN = ReviewRecord(seconds=2.5, lines=((1, 1),), shown_by=ShownBy.CONSOLE)
"""A record of what `draft` is."""


def draft(code: str = "print(6 * 7)") -> Draft:
    """Return a draft of Python code."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


async def pending(engine: Engine, code: str = "print(6 * 7)") -> tuple[str, str]:
    """Submit code and return the id and the digest of the submission, which waits."""
    case = await engine.submissions.submit(draft(code), AGENT)
    assert Status.PENDING is case.status
    return case.submission.id, case.submission.digest


@pytest.mark.usefixtures("no_docker")
async def test_a_claim_keeps_others_from_the_same_work(engine_with: EngineMaker) -> None:
    """One reviewer holds a submission; another can neither claim nor approve it, but deny it."""
    async with engine_with() as engine:
        id, digest = await pending(engine)
        await engine.claims.claim(id, ADA)
        with pytest.raises(Problem, match="is claimed by ada"):
            await engine.claims.claim(id, BOB)
        with pytest.raises(Problem, match="is claimed by ada"):
            await engine.submissions.decide(id, BOB, DecisionOutcome.APPROVED, digest, review_record=SEEN)
        case = await engine.submissions.decide(id, BOB, DecisionOutcome.DENIED, digest, "no")
        assert (Status.DENIED, None) == (case.status, case.claim)
        types = [event.type for event in await engine.queries.trail(id)]
        assert ["submission.assessed", "claim.created", "decision.made"] == types[-3:]


@pytest.mark.usefixtures("no_docker")
async def test_a_claim_is_let_go_by_its_holder_alone(engine_with: EngineMaker) -> None:
    """Only who holds a submission lets go of it; then another one may claim it."""
    async with engine_with() as engine:
        id, _ = await pending(engine)
        await engine.claims.claim(id, ADA)
        with pytest.raises(Problem, match="does not hold"):
            await engine.claims.release(id, BOB)
        await engine.claims.release(id, ADA)
        assert BOB.name == getattr((await engine.claims.claim(id, BOB)).claim, "by", None)
        with pytest.raises(Problem, match="not a reviewer"):
            await engine.claims.claim(id, AGENT)


@pytest.mark.usefixtures("no_docker")
async def test_a_requester_does_not_decide_their_own(engine_with: EngineMaker) -> None:
    """In a team, a reviewer who asked for something CRITICAL has no say in it."""
    async with engine_with(policy=TEAM) as engine:
        (engine.policy._file).write_text(CRITICAL)
        await engine.policy._reload()
        case = await engine.submissions.submit(draft(), ADA)
        for outcome in (DecisionOutcome.APPROVED, DecisionOutcome.DENIED):
            with pytest.raises(Problem, match="of their own") as refused:
                await engine.submissions.decide(case.submission.id, ADA, outcome, case.submission.digest)
            assert 403 == refused.value.status


@pytest.mark.sandbox
async def test_critical_takes_two_reviewers(engine_with: EngineMaker) -> None:
    """The first approval leaves it waiting and visible to the second, which starts the run."""
    async with engine_with(policy=TEAM) as engine, asyncio.timeout(SECONDS):
        engine.policy._file.write_text(CRITICAL)
        await engine.policy._reload()
        id, digest = await pending(engine)
        first = await engine.submissions.decide(
            id, ADA, DecisionOutcome.APPROVED, digest, "looks right", review_record=SEEN
        )
        assert (Status.PENDING, "looks right") == (first.status, first.reviews[0].reason.text)
        with pytest.raises(Problem, match="another reviewer"):
            await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest)
        await engine.submissions.decide(id, BOB, DecisionOutcome.APPROVED, digest, review_record=SEEN)
        case = await engine.queries.finished(id)
        assert (Status.FINISHED, 1) == (case.status, len(case.reviews))
        types = [event.type for event in await engine.queries.trail(id)]
        assert (
            types.index("decision.first_approval") < types.index("decision.made") < types.index("run.started")
        )


@pytest.mark.sandbox
async def test_a_deny_by_either_ends_it(engine_with: EngineMaker) -> None:
    """After one approval, the other reviewer's deny is final."""
    async with engine_with(policy=TEAM) as engine, asyncio.timeout(SECONDS):
        engine.policy._file.write_text(CRITICAL)
        await engine.policy._reload()
        id, digest = await pending(engine)
        await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest, review_record=SEEN)
        case = await engine.submissions.decide(id, BOB, DecisionOutcome.DENIED, digest)
        assert (Status.DENIED, None) == (case.status, case.result)


@pytest.mark.sandbox
async def test_a_pre_approval_is_used_listed_and_revoked(engine_with: EngineMaker) -> None:
    """The same structure runs unasked, as often as was said, across a restart, until it is revoked."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        id, digest = await pending(engine)
        await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest)
        case = await engine.queries.finished(id)
        given = await engine.pre_approvals.create(case, ADA, MatchMode.STRUCTURE, Level.HIGH, uses=2, days=1)
        second = await engine.submissions.submit(draft("print( 6 * 7 )  # again"), AGENT)
        assert second.decision is not None
        assert given.id == second.decision.pre_approval
        await engine.queries.finished(second.submission.id)
        await pending(engine, "print(6 * 8)")
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        assert [(given.id, 1)] == [(one.id, one.used) for one in engine.pre_approvals.listed()]
        third = await engine.submissions.submit(draft("print((6 * 7))"), AGENT)
        assert third.decision is not None
        await engine.queries.finished(third.submission.id)
        await pending(engine, "print(9 * 9)")
        await engine.pre_approvals.revoke(given.id, ADA)
        assert () == engine.pre_approvals.listed()


@pytest.mark.usefixtures("no_docker")
async def test_what_was_not_approved_is_no_basis(engine_with: EngineMaker) -> None:
    """A pre-approval is given for what was approved, by a reviewer."""
    async with engine_with() as engine:
        id, digest = await pending(engine)
        case = await engine.submissions.decide(id, ADA, DecisionOutcome.DENIED, digest)
        for by, said in ((ADA, "was not approved"), (AGENT, "not a reviewer")):
            with pytest.raises(Problem, match=said):
                await engine.pre_approvals.create(case, by, MatchMode.EXACT, Level.HIGH, uses=1, days=1)
        with pytest.raises(Problem, match="there is no pre-approval"):
            await engine.pre_approvals.revoke("a-0", ADA)


@pytest.mark.sandbox
async def test_approval_waits_for_the_eyes(engine_with: EngineMaker) -> None:
    """In a team, HIGH is approved once every line was on screen, and the record says so."""
    async with engine_with(policy=TEAM) as engine, asyncio.timeout(SECONDS):
        id, digest = await pending(engine)
        with pytest.raises(Problem, match="line 1 was not on screen"):
            await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest)
        case = await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest, review_record=SEEN)
        assert case.decision is not None
        assert SEEN == case.decision.review_record


RECORDS = {
    "none": None,
    "nothing": ReviewRecord(seconds=1, shown_by=ShownBy.CONSOLE),
    "no-word-on-how": ReviewRecord(seconds=1, lines=((1, 1),)),
    "another-line": ReviewRecord(seconds=1, lines=((2, 2),), shown_by=ShownBy.STATED),
    "half": ReviewRecord(seconds=1, lines=((1, 0),), shown_by=ShownBy.TERMINAL),
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
async def test_by_default_nothing_grave_is_approved_without_a_record(
    engine_with: EngineMaker, record: ReviewRecord | None
) -> None:
    """Whoever asks: HIGH needs the record of what was displayed, or is stated to be reviewed."""
    async with engine_with(policy=PolicySettings(base="strict")) as engine, asyncio.timeout(SECONDS):
        id, digest = await pending(engine)
        with pytest.raises(Problem) as refused:
            await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest, review_record=record)
        assert 409 == refused.value.status


def test_the_record_is_asked_for_unless_a_setting_says_otherwise() -> None:
    """In every profile."""
    assert PolicySettings().require_full_review
    assert PolicySettings(profile="team").require_full_review
    assert not PolicySettings(require_full_review=False).require_full_review


AUTHOR = ReviewRecord(seconds=1, lines=((1, 1),), shown_by=ShownBy.AUTHOR)
"""A record of what `draft` is, of who wrote it."""


@pytest.mark.parametrize("profile", ["solo", "team"])
@pytest.mark.parametrize("author", [ADA, BOB, AGENT], ids=["another", "same-role", "agent"])
async def test_nobody_approves_as_the_author_of_anothers_code(
    engine_with: EngineMaker, profile: str, author: Principal
) -> None:
    """An agent's code, or another reviewer's, is reviewed; in a team, one's own code is, too."""
    policy = PolicySettings.model_validate(
        {"base": "strict", "profile": profile, "require_full_review": False}
    )
    by = BOB if author is ADA or profile == "team" else ADA
    async with engine_with(policy=policy) as engine, asyncio.timeout(SECONDS):
        case = await engine.submissions.submit(draft(), author)
        id, digest = case.submission.id, case.submission.digest
        with pytest.raises(Problem, match=r"(as its author|a reviewer has to approve it)") as refused:
            await engine.submissions.decide(id, by, DecisionOutcome.APPROVED, digest, review_record=AUTHOR)
        assert 403 == refused.value.status


@pytest.mark.sandbox
async def test_who_works_alone_approves_their_own_code_as_its_author(engine_with: EngineMaker) -> None:
    """The record says so, and it has to be complete all the same."""
    async with engine_with(policy=PolicySettings(base="strict")) as engine, asyncio.timeout(SECONDS):
        case = await engine.submissions.submit(draft(), ADA)
        id, digest = case.submission.id, case.submission.digest
        short = ReviewRecord(seconds=1, shown_by=ShownBy.AUTHOR)
        with pytest.raises(Problem, match="the review is incomplete"):
            await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest, review_record=short)
        case = await engine.submissions.decide(
            id, ADA, DecisionOutcome.APPROVED, digest, review_record=AUTHOR
        )
        assert case.decision is not None
        assert AUTHOR == case.decision.review_record


@pytest.mark.usefixtures("no_docker")
async def test_nobody_decides_about_what_they_were_not_shown(engine_with: EngineMaker) -> None:
    """A decision about another digest is refused, and the submission stays pending."""
    async with engine_with() as engine:
        id, digest = await pending(engine)
        other = digest[::-1]
        with pytest.raises(Problem, match="the digests differ"):
            await engine.submissions.decide(id, ADA, DecisionOutcome.DENIED, other, "no")
        assert Status.PENDING is (await engine.queries.case(id)).status


@pytest.mark.usefixtures("no_docker")
async def test_no_approval_is_for_an_image_that_cannot_be_had(engine_with: EngineMaker) -> None:
    """Without the image's digest there is no approval; the refusal says what to type."""
    async with engine_with() as engine:
        id, _ = await pending(engine)
        case = await engine.queries.case(id)
        with pytest.raises(Problem) as refused:
            await engine._decisions.image_of(case)
        assert (503, True) == (refused.value.status, refused.value.hint.startswith("Type: "))
