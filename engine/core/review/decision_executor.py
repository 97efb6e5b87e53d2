"""Rulings: what a decision does to a waiting submission."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.core.review.decisions import ReviewDecisions
from engine.core.submissions.active import ActiveSubmission, ActiveSubmissions
from engine.models import Case, Decision, DecisionOutcome, Grant, Principal, ReviewRecord, Status
from engine.policy.review import needs_second_approval

NOBODY = Principal(name=Untrusted("nobody"), roles=frozenset())

STATUS_OF = {
    DecisionOutcome.APPROVED: Status.QUEUED,
    DecisionOutcome.DENIED: Status.DENIED,
    DecisionOutcome.EXPIRED: Status.EXPIRED,
    DecisionOutcome.REFUSED: Status.REFUSED,
}


class DecisionExecutor:
    """Ends the wait of submissions. `approved` is called with each one that may run.

    Whoever calls `approve` or `deny` holds the submission's lock, and has seen that it waits.
    """

    def __init__(
        self,
        events: EventBus,
        active: ActiveSubmissions,
        tasks: asyncio.TaskGroup,
        decisions: ReviewDecisions,
        approved: Callable[[ActiveSubmission], None],
        *,
        two_reviewers: bool,
    ) -> None:
        self._events = events
        self._active = active
        self._tasks = tasks
        self._decisions = decisions
        self._approved = approved
        self._two_reviewers = two_reviewers

    async def approve(
        self,
        entry: ActiveSubmission,
        by: Principal,
        reason: str,
        grant: Grant,
        review_record: ReviewRecord | None = None,
        pre_approval: str = "",
    ) -> Case:
        """Approve a submission: it runs, or waits for another reviewer where two are wanted.

        Raises:
            Problem: the grant cannot be given, or nothing can run.
        """
        await self._decisions.may_grant(entry.case, grant)
        decision = await self._decisions.make(
            entry.case, by, DecisionOutcome.APPROVED, reason, grant, review_record, pre_approval
        )
        if needs_second_approval(entry.case, two_reviewers=self._two_reviewers):
            return await self._reviewed(entry, decision)
        case = await self._settle(entry, decision)
        self._approved(entry)
        return case

    async def deny(
        self,
        entry: ActiveSubmission,
        by: Principal,
        outcome: DecisionOutcome,
        reason: str,
        review_record: ReviewRecord | None = None,
    ) -> Case:
        """Deny, refuse or expire a submission."""
        decision = await self._decisions.make(entry.case, by, outcome, reason, review_record=review_record)
        case = await self._settle(entry, decision)
        self._active.close(entry)
        return case

    def expire_after(self, entry: ActiveSubmission, seconds: float) -> None:
        """Let a submission expire unless somebody decides within so many seconds."""
        entry.task = self._tasks.create_task(self._expire(entry, seconds))

    async def _expire(self, entry: ActiveSubmission, seconds: float) -> None:
        await asyncio.sleep(seconds)
        async with entry.lock:
            if entry.case.status is Status.PENDING:
                most = entry.case.assessment.deadline_seconds or 0.0
                await self.deny(entry, NOBODY, DecisionOutcome.EXPIRED, f"nobody decided within {most:g} s")

    async def _reviewed(self, entry: ActiveSubmission, decision: Decision) -> Case:
        """Keep a first approval and wait for the second reviewer's, for the rest of the time."""
        update = {"reviews": (*entry.case.reviews, decision), "claim": None}
        case: Case = entry.case.model_copy(update=update)
        data = decision.model_dump(mode="json")
        await self._events.record("decision.first_approval", entry.id, decision.by.name, data=data, case=case)
        entry.case = case
        return case

    async def _settle(self, entry: ActiveSubmission, decision: Decision) -> Case:
        outcome = decision.outcome
        update = {"decision": decision, "status": STATUS_OF[outcome], "claim": None}
        case: Case = entry.case.model_copy(update=update)
        kind = "decision.expired" if outcome is DecisionOutcome.EXPIRED else "decision.made"
        data = decision.model_dump(mode="json")
        await self._events.record(kind, entry.id, decision.by.name, data=data, case=case)
        entry.case = case
        entry.cancel()
        return case
