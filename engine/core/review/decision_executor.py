"""Applies decisions to pending submissions: approved ones run, all others end."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from engine.common.errors import Problem
from engine.core.drills.service import Drills
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue
from engine.core.review.decisions import ReviewDecisions
from engine.history.errors import AlreadyRecordedError
from engine.models import (
    OPEN,
    WITHDRAWN,
    Case,
    Decision,
    DecisionOutcome,
    Grant,
    LineComment,
    Principal,
    ReviewRecord,
    Status,
)
from engine.models.past_decisions import DrillOutcome
from engine.policy.deadline import released_case
from engine.policy.review import needs_second_approval

STATUS_OF = {
    DecisionOutcome.APPROVED: Status.QUEUED,
    DecisionOutcome.DENIED: Status.DENIED,
    DecisionOutcome.CHANGES_REQUESTED: Status.CHANGES_REQUESTED,
    DecisionOutcome.EXPIRED: Status.EXPIRED,
    DecisionOutcome.REFUSED: Status.REFUSED,
}

ANSWERS = frozenset({DecisionOutcome.DENIED, DecisionOutcome.CHANGES_REQUESTED})
"""What a person says to what should not run."""


class RunStarter(Protocol):
    """Starts approved submissions, or closes them."""

    def starting(self, entry: ActiveSubmission, approved: Case) -> AbstractContextManager[None]:
        """Run a submission once the block has recorded its approval; where the block fails, nothing runs."""

    async def close_interrupted(self, entry: ActiveSubmission) -> None:
        """Close an approved submission without running it."""


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
        drills: Drills,
        *,
        requires_second_reviewer: bool,
    ) -> None:
        self._events = events
        self._queue = queue
        self._decisions = decisions
        self._runs = runs
        self._drills = drills
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
        if entry.is_drill:
            return await self.end_drill(entry, by, DrillOutcome.MISSED)
        async with self._decisions.keys_held():
            decision = await self._decisions.make(
                entry.case, by, DecisionOutcome.APPROVED, reason, grant, review_record, pre_approval
            )
            if needs_second_approval(entry.case, two_reviewers=self._requires_second_reviewer):
                return await self._reviewed(entry, decision)
            approved = entry.case.with_decision(decision, Status.QUEUED)
            with self._runs.starting(entry, approved):
                return await self._settle(entry, decision)

    async def deny(
        self,
        entry: ActiveSubmission,
        by: Principal,
        outcome: DecisionOutcome,
        reason: str,
        review_record: ReviewRecord | None = None,
        comments: tuple[LineComment, ...] = (),
    ) -> Case:
        """Deny, refuse or expire a submission, or request changes."""
        if entry.is_drill:
            caught = outcome in ANSWERS and reason != WITHDRAWN
            return await self.end_drill(entry, by, DrillOutcome.CAUGHT if caught else None)
        async with self._decisions.keys_held():
            decision = await self._decisions.make(
                entry.case, by, outcome, reason, review_record=review_record, comments=comments
            )
            case = await self._settle(entry, decision)
        self._queue.close(entry)
        return case

    def is_drill(self, id: str) -> bool:
        """Return whether the submission of an id is a drill."""
        return self._drills.is_drill(id)

    async def end_drill(self, entry: ActiveSubmission, by: Principal, outcome: DrillOutcome | None) -> Case:
        """End a drill, which runs nothing: everybody is told what it was, and nobody how it was answered.

        An outcome counts where a person gave it. Raises Problem: it cannot be recorded.
        """
        data = await self._drills.ended(entry.case, by, outcome if by.roles else None)
        case = entry.case.as_drill(str(data["what"]))
        await self._events.record("drill.ended", entry.id, data=data, case=case)
        self._queue.update(entry, case)
        self._queue.close(entry)
        return case

    async def _reviewed(self, entry: ActiveSubmission, decision: Decision) -> Case:
        """Keep a first approval and wait for the second reviewer's, for the rest of the time."""
        left = self._queue.seconds_left(entry)
        released = released_case(entry.case, left, decision.at).with_first_approval(decision)
        case = await self._record("decision.first_approval", entry, decision, released)
        if case.deadline:
            self._queue.expire_after(entry, (case.deadline - decision.at).total_seconds())
        return case

    async def _settle(self, entry: ActiveSubmission, decision: Decision) -> Case:
        outcome = decision.outcome
        case = entry.case.with_decision(decision, STATUS_OF[outcome])
        kind = "decision.expired" if outcome is DecisionOutcome.EXPIRED else "decision.made"
        return await self._record(kind, entry, decision, case)

    async def _record(self, kind: str, entry: ActiveSubmission, decision: Decision, case: Case) -> Case:
        data = decision.model_dump(mode="json")
        try:
            await self._events.record(kind, entry.id, decision.by.name, data=data, case=case)
        except AlreadyRecordedError as error:
            await self._adopt(entry)
            what = "an earlier decision, which was refused because the disk hung, has been recorded"
            if self._events.log.engines:
                what = "it was changed meanwhile at another engine"
            raise Problem(409, f"{entry.id}: {what}", hint=error.hint) from None
        self._queue.update(entry, case)
        return case

    async def _adopt(self, entry: ActiveSubmission) -> None:
        """Take over the decision that the history has: what it approved does not run, as it was refused."""
        recorded = await self._events.log.read.case(entry.id)
        if recorded is None:
            return
        self._queue.update(entry, recorded)
        several = self._events.log.engines is not None
        if recorded.status is Status.QUEUED and not several:
            await self._runs.close_interrupted(entry)
        elif recorded.status not in OPEN:
            self._queue.close(entry)
