"""Applies decisions to pending submissions: approved ones run, all others end."""

from __future__ import annotations

from typing import Protocol

from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue
from engine.core.review.decisions import ReviewDecisions
from engine.models import Case, Decision, DecisionOutcome, Grant, Principal, ReviewRecord, Status
from engine.policy.review import needs_second_approval

STATUS_OF = {
    DecisionOutcome.APPROVED: Status.QUEUED,
    DecisionOutcome.DENIED: Status.DENIED,
    DecisionOutcome.EXPIRED: Status.EXPIRED,
    DecisionOutcome.REFUSED: Status.REFUSED,
}


class RunStarter(Protocol):
    """Starts approved submissions."""

    def start(self, entry: ActiveSubmission) -> None:
        """Run an approved submission."""


class DecisionExecutor:
    """Approves and denies pending submissions.

    Callers of `approve` and `deny` hold the submission exclusively, and have checked that it is pending.
    """

    def __init__(
        self,
        events: EventBus,
        queue: WorkQueue,
        decisions: ReviewDecisions,
        runs: RunStarter,
        *,
        requires_second_reviewer: bool,
    ) -> None:
        self._events = events
        self._queue = queue
        self._decisions = decisions
        self._runs = runs
        self._requires_second_reviewer = requires_second_reviewer

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
        await self._decisions.require_grantable(entry.case, grant)
        async with self._decisions.keys_held():
            decision = await self._decisions.make(
                entry.case, by, DecisionOutcome.APPROVED, reason, grant, review_record, pre_approval
            )
            if needs_second_approval(entry.case, two_reviewers=self._requires_second_reviewer):
                return await self._reviewed(entry, decision)
            case = await self._settle(entry, decision)
        self._runs.start(entry)
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
        async with self._decisions.keys_held():
            decision = await self._decisions.make(
                entry.case, by, outcome, reason, review_record=review_record
            )
            case = await self._settle(entry, decision)
        self._queue.close(entry)
        return case

    async def _reviewed(self, entry: ActiveSubmission, decision: Decision) -> Case:
        """Keep a first approval and wait for the second reviewer's, for the rest of the time."""
        case = entry.case.with_first_approval(decision)
        data = decision.model_dump(mode="json")
        await self._events.record("decision.first_approval", entry.id, decision.by.name, data=data, case=case)
        self._queue.update(entry, case)
        return case

    async def _settle(self, entry: ActiveSubmission, decision: Decision) -> Case:
        outcome = decision.outcome
        case = entry.case.with_decision(decision, STATUS_OF[outcome])
        kind = "decision.expired" if outcome is DecisionOutcome.EXPIRED else "decision.made"
        data = decision.model_dump(mode="json")
        await self._events.record(kind, entry.id, decision.by.name, data=data, case=case)
        self._queue.update(entry, case)
        return case
