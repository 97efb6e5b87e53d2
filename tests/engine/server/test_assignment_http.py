"""Submissions are assigned to reviewers: seen by everybody, and binding for nobody."""

from __future__ import annotations

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language, Status


async def submitted(client: Client, number: int) -> Case:
    """Return a submission that waits for a decision."""
    code = Untrusted(f"import os\nprint(os.environ, {number})")
    return await client.submit(Draft(code=code, language=Language.PYTHON))


async def test_several_are_assigned_to_whoever_asks_and_taken_back(client: Client) -> None:
    """The queue says whose they are and whether they are mine; the history keeps both steps."""
    ids = [(await submitted(client, number)).submission.id for number in range(2)]
    assert ["", ""] == [answer.problem for answer in await client.reviews.assign(ids)]
    listed = await client.reviews.queue()
    assert [True, True] == [entry.assigned_to_me for entry in listed]
    await client.reviews.assign(ids[:1], "zoe")
    await client.reviews.assign(ids[1:], "")
    found = {
        entry.summary.id: (entry.assigned.text, entry.assigned_to_me)
        for entry in await client.reviews.queue()
    }
    assert {ids[0]: ("zoe", False), ids[1]: ("", False)} == found
    types = [event.type for event in await client.history.events(ids[1])]
    assert ["assignment.made", "assignment.removed"] == [type for type in types if "assignment" in type]


async def test_another_reviewer_may_decide_all_the_same(client: Client) -> None:
    """An assignment is no claim."""
    case = await submitted(client, 1)
    await client.reviews.assign([case.submission.id], "zoe")
    denied = await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest, "no")
    assert Status.DENIED is denied.status
    assert denied.assigned is not None


async def test_what_is_over_is_not_assigned_and_the_rest_is(client: Client) -> None:
    """Each answers by itself."""
    over, open_one = await submitted(client, 1), await submitted(client, 2)
    await client.decide(over.submission.id, DecisionOutcome.DENIED, over.submission.digest, "no")
    answers = await client.reviews.assign([over.submission.id, open_one.submission.id])
    assert [None, Status.PENDING] == [answer.status for answer in answers]
    assert "is over" in answers[0].problem


@pytest.mark.parametrize("ids", [[], ["../x"], ["s-1"] * 201], ids=["none", "no id", "many"])
async def test_a_request_out_of_bounds_is_refused(client: Client, ids: list[str]) -> None:
    """As everywhere."""
    with pytest.raises(Problem) as refused:
        await client.reviews.assign(ids)
    assert 422 == refused.value.status
