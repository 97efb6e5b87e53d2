"""What reviewers need beside their verdict, over HTTP."""

from __future__ import annotations

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    DecisionOutcome,
    Draft,
    Grant,
    InputFile,
    Language,
    Level,
    MatchMode,
    Permissions,
    Status,
)
from engine.principals import verify

DRAFT = Draft(
    code=Untrusted("x = 1\nprint(open('a.csv').read())\n"),
    language=Language.PYTHON,
    files=(InputFile(name=Untrusted("a.csv"), content=b"1,2"),),
)


async def test_reviewing_over_http(client: Client) -> None:
    """A reviewer claims, is told which lines fail without a file, lets go, and denies with a signature."""
    case = await client.submit(DRAFT)
    id = case.submission.id
    assert (await client.claim(id)).claim is not None
    (one,) = await client.consequences(id, Grant(permissions=Permissions()))
    assert ("file a.csv", (2,), True) == (one.permission.text, one.lines, one.certain)
    assert (await client.release(id)).claim is None
    with pytest.raises(Problem, match="was not approved"):
        await client.pre_approvals.create(id, MatchMode.STRUCTURE, Level.HIGH, uses=1, days=1)
    assert () == await client.pre_approvals.list()
    with pytest.raises(Problem, match="no pre-approval"):
        await client.pre_approvals.revoke("a-0")
    denied = await client.decide(id, DecisionOutcome.DENIED, case.submission.digest, "no")
    assert denied.decision is not None
    assert Status.DENIED is denied.status
    assert denied.decision.signature
    assert verify(denied.decision, denied.decision.signature.key)


async def test_a_grant_of_more_is_refused_over_http(client: Client) -> None:
    """An approval of more than was asked for is answered with what is too much, and the case waits on."""
    case = await client.submit(DRAFT)
    id, digest = case.submission.id, case.submission.digest
    more = Grant(permissions=Permissions(secrets=(Untrusted("token"),)))
    with pytest.raises(Problem, match="secrets: 1 that were not requested"):
        await client.decide(id, DecisionOutcome.APPROVED, digest, grant=more)
    assert Status.PENDING is (await client.case(id)).status
