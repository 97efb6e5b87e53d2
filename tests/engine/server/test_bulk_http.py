"""Several submissions at once: denied or claimed together; approved together only where equivalent."""

from __future__ import annotations

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language, ReviewRecord, Status
from engine.models.api import MOST_AT_ONCE
from tests.engine_process import EngineProcess

APPROVED, DENIED = DecisionOutcome.APPROVED, DecisionOutcome.DENIED


def draft(code: str = "print(1)", purpose: str = "") -> Draft:
    """Return a draft."""
    return Draft(code=Untrusted(code), language=Language.PYTHON, purpose=Untrusted(purpose))


def digests(*cases: Case) -> dict[str, str]:
    """Return the digests of cases by their ids."""
    return {case.submission.id: case.submission.digest for case in cases}


async def test_several_are_denied_each_with_its_own_answer(client: Client) -> None:
    """What is over already is said, and the rest is denied with the reason."""
    one, two, three = [await client.submit(draft(f"print({number})")) for number in range(3)]
    await client.decide(two.submission.id, DENIED, two.submission.digest)
    answers = await client.reviews.decide_all(digests(one, two, three), DENIED, "noise")
    assert [Status.DENIED, None, Status.DENIED] == [answer.status for answer in answers]
    assert "is over" in answers[1].problem
    ended = await client.case(three.submission.id)
    assert ended.decision is not None
    assert "noise" == ended.decision.reason.text
    assert () == await client.queue()


async def test_another_digest_decides_nothing(client: Client) -> None:
    """Each decision is bound to what was displayed of its own submission."""
    one, two = await client.submit(draft("1")), await client.submit(draft("2"))
    mixed = {one.submission.id: two.submission.digest, two.submission.id: two.submission.digest}
    answers = await client.reviews.decide_all(mixed, DENIED)
    assert [None, Status.DENIED] == [answer.status for answer in answers]
    assert "the digests differ" in answers[0].problem


@pytest.mark.parametrize(
    "other",
    [draft("print(2)"), draft(purpose="other"), draft("import os\nprint(os.environ)")],
    ids=["code", "purpose", "effect"],
)
async def test_only_what_is_equivalent_is_approved_together(client: Client, other: Draft) -> None:
    """One difference in what was asked, and nothing is decided."""
    one, two = await client.submit(draft()), await client.submit(other)
    with pytest.raises(Problem, match="not equivalent"):
        await client.reviews.decide_all(digests(one, two), APPROVED)
    assert {Status.PENDING} == {summary.status for summary in await client.queue()}


async def test_code_that_is_not_proven_harmless_is_equivalent_to_its_own_bytes_only(client: Client) -> None:
    """What could do anything may do another thing with another comment: it could read its own text."""
    code = "import os\nprint(os.environ)"
    one, two = await client.submit(draft(code)), await client.submit(draft(f"{code}  # more"))
    with pytest.raises(Problem, match="not equivalent"):
        await client.reviews.decide_all(digests(one, two), APPROVED)


async def test_a_review_covers_nothing_that_is_not_equivalent(client: Client) -> None:
    """A record that names another submission is checked, also for a decision about one."""
    one, two = await client.submit(draft("import os\nprint(os.environ)")), await client.submit(draft())
    record = ReviewRecord(seconds=9, lines=((1, 1),), equivalent_to=two.submission.id)
    with pytest.raises(Problem, match="not equivalent"):
        await client.decide(one.submission.id, APPROVED, one.submission.digest, review_record=record)
    assert Status.PENDING is (await client.case(one.submission.id)).status


@pytest.mark.sandbox
async def test_equivalent_ones_of_two_agents_are_approved_together(
    client: Client, engine: EngineProcess
) -> None:
    """Other bytes, another requester, and nothing else that a run could show."""
    one = await client.submit(draft())
    two = await client.submit(draft("print( 1 )  # the same"), requester="other")
    health = await client.health(settled_within=25)
    assert health.can_run
    answers = await client.reviews.decide_all(digests(one, two), APPROVED)
    assert ["", ""] == [answer.problem for answer in answers]
    ended = [await client.case(case.submission.id, within=60) for case in (one, two)]
    assert [Status.FINISHED] * 2 == [case.status for case in ended]


@pytest.mark.parametrize("outcome", [DecisionOutcome.CHANGES_REQUESTED, DecisionOutcome.EXPIRED])
async def test_other_outcomes_are_given_one_by_one(client: Client, outcome: DecisionOutcome) -> None:
    """Comments belong to one submission; nobody makes others expire."""
    case = await client.submit(draft())
    with pytest.raises(Problem, match="all approved or all denied"):
        await client.reviews.decide_all(digests(case), outcome, "x")


async def test_several_are_claimed(client: Client) -> None:
    """Each is claimed, or the answer says why not."""
    one, two = await client.submit(draft("1")), await client.submit(draft("2"))
    await client.decide(two.submission.id, DENIED, two.submission.digest)
    answers = await client.reviews.claim_all([one.submission.id, two.submission.id, one.submission.id])
    assert [Status.PENDING, None] == [answer.status for answer in answers]
    assert [True] == [entry.claim is not None for entry in await client.reviews.queue()]


async def test_the_number_is_bounded(client: Client) -> None:
    """One request decides about two hundred at most, and each once."""
    with pytest.raises(ValueError, match="at most"):
        await client.reviews.claim_all(["s-1"] * (MOST_AT_ONCE + 1))
    with pytest.raises(ValueError, match="at least"):
        await client.reviews.decide_all({}, DENIED)
