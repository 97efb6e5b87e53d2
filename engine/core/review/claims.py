"""Claims: a reviewer reserves a submission, so that no other one does the same work."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.models import Case, Claim, Principal, Status
from engine.policy.review import claim
from engine.principals import may
from engine.principals.roles import Action


class Claims:
    """Creates and releases claims. A claim expires after `seconds`."""

    def __init__(self, events: EventBus, queue: WorkQueue, seconds: float) -> None:
        self._events = events
        self._queue = queue
        self._seconds = seconds

    async def claim(self, id: str, by: Principal) -> Case:
        """Claim a waiting submission, or claim it for longer.

        Raises:
            Problem: the principal is not a reviewer, another one holds the claim, or it is not pending.
        """
        entry = self._waiting(id, by)
        async with self._queue.exclusive(entry):
            made = claim(entry.case, by, datetime.now(UTC), self._seconds)
            if made is None:
                held = entry.case.claim
                raise Problem(409, f"{id} is claimed by {visible(held.by) if held else 'another reviewer'}")
            return await self._changed(entry, "claim.created", by, made)

    async def release(self, id: str, by: Principal) -> Case:
        """Let go of a submission.

        Raises:
            Problem: the principal is not a reviewer, does not hold the claim, or it is not pending.
        """
        entry = self._waiting(id, by)
        async with self._queue.exclusive(entry):
            if entry.case.claim is None or not entry.case.claim.is_of(by):
                raise Problem(409, f"{visible(by.name)} does not hold {id}")
            return await self._changed(entry, "claim.released", by, None)

    def _waiting(self, id: str, by: Principal) -> ActiveSubmission:
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        return open_entry(self._queue, id)

    async def _changed(self, entry: ActiveSubmission, type: str, by: Principal, claim: Claim | None) -> Case:
        if entry.case.status is not Status.PENDING:
            raise Problem(409, f"{entry.id} is not pending: it is {entry.case.status}")
        case = entry.case.with_claim(claim)
        data = {"until": claim.until.isoformat()} if claim else {}
        await self._events.record(type, entry.id, by.name, data=data, case=case)
        self._queue.update(entry, case)
        return case
