"""Decisions and claims about several submissions at once: each by itself, and each answered by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.queue import WorkQueue
from engine.core.review.assignments import Assignments
from engine.core.review.claims import Claims
from engine.core.review.equivalence import Key, equivalence_key
from engine.core.submissions.service import SubmissionService
from engine.models import BulkAnswer, Case, DecisionOutcome, Principal
from engine.models.api import BulkDecision

IN_BULK = frozenset({DecisionOutcome.APPROVED, DecisionOutcome.DENIED})


class BulkReview:
    """Decides about several submissions, and claims or assigns several."""

    def __init__(
        self, queue: WorkQueue, claims: Claims, assignments: Assignments, submissions: SubmissionService
    ) -> None:
        self._queue = queue
        self._claims = claims
        self._assignments = assignments
        self._submissions = submissions

    async def claim(self, ids: Sequence[str], by: Principal) -> tuple[BulkAnswer, ...]:
        """Claim what can be claimed, and say of the rest why not."""
        return tuple([await _answer(id, self._claims.claim(id, by)) for id in dict.fromkeys(ids)])

    async def assign(self, ids: Sequence[str], to: Untrusted, by: Principal) -> tuple[BulkAnswer, ...]:
        """Assign what is pending to a reviewer, and say of the rest why not."""
        return tuple([await _answer(id, self._assignments.assign(id, to, by)) for id in dict.fromkeys(ids)])

    async def decide(self, decisions: Sequence[BulkDecision], by: Principal) -> tuple[BulkAnswer, ...]:
        """Deny several submissions, or approve several that are equivalent; say of each what became of it.

        Raises:
            Problem: the outcomes differ, are neither approvals nor denials, one submission is named twice
                (422), or what would be approved is not equivalent (409). Nothing is decided then.
        """
        await self._require_alike(decisions)
        return tuple([await _answer(one.id, self._decide(one, by)) for one in decisions])

    async def _decide(self, one: BulkDecision, by: Principal) -> Case:
        made = one.decision
        return await self._submissions.decide(
            one.id,
            by,
            made.outcome,
            made.digest,
            made.reason.text,
            made.grant,
            made.review_record,
            made.comments,
        )

    async def _require_alike(self, decisions: Sequence[BulkDecision]) -> None:
        outcomes = {one.decision.outcome for one in decisions}
        if len(outcomes) > 1 or not outcomes <= IN_BULK:
            raise Problem(422, "several submissions are all approved or all denied at once")
        if len({one.id for one in decisions}) < len(decisions):
            raise Problem(422, "a submission is named twice")
        if outcomes == {DecisionOutcome.APPROVED} and len(await self._kinds(decisions)) > 1:
            raise Problem(
                409,
                "these submissions are not equivalent",
                hint="Approve each by itself, or those of one kind.",
            )

    async def _kinds(self, decisions: Sequence[BulkDecision]) -> set[Key]:
        """Return the different kinds of what is open; what is over is answered by itself."""
        entries = [entry for one in decisions if (entry := self._queue.find(one.id))]
        return {await asyncio.to_thread(equivalence_key, entry.case) for entry in entries}


async def _answer(id: str, change: Awaitable[Case]) -> BulkAnswer:
    try:
        return BulkAnswer(id=id, status=(await change).status)
    except Problem as problem:
        return BulkAnswer(id=id, problem=str(problem))
