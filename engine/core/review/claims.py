"""Claims and extensions: a reviewer reserves a submission, which stops its clock, or gives it more time."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.models import Case, Principal, Status
from engine.policy.deadline import claimed_case, extended_case, released_case
from engine.policy.review import claim
from engine.principals import may
from engine.principals.roles import Action
from engine.settings import PolicySettings


class Claims:
    """Creates and releases claims, and extends deadlines. Claims lapse."""

    def __init__(self, events: EventBus, queue: WorkQueue, settings: PolicySettings) -> None:
        self._events = events
        self._queue = queue
        self._settings = settings

    async def claim(self, id: str, by: Principal) -> Case:
        """Claim a waiting submission, or claim it for longer.

        Raises:
            Problem: the principal is not a reviewer, another one holds the claim, or it is not pending.
        """
        entry = self._waiting(id, by)
        async with self._queue.exclusive(entry):
            self._require_time(entry)
            now, settings = datetime.now(UTC), self._settings
            made = claim(entry.case, by, now, settings.claim_seconds)
            if made is None:
                held = entry.case.claim
                raise Problem(409, f"{id} is claimed by {visible(held.by) if held else 'another reviewer'}")
            left = self._queue.seconds_left(entry)
            case = claimed_case(entry.case, made, left, now, settings.most_extra_seconds)
            return await self._changed(entry, "claim.created", by, case, until=made.until)

    async def release(self, id: str, by: Principal) -> Case:
        """Let go of a submission.

        Raises:
            Problem: the principal is not a reviewer, does not hold the claim, or it is not pending.
        """
        entry = self._waiting(id, by)
        async with self._queue.exclusive(entry):
            if entry.case.claim is None or not entry.case.claim.is_of(by):
                raise Problem(409, f"{visible(by.name)} does not hold {id}")
            self._require_time(entry)
            case = released_case(entry.case, self._queue.seconds_left(entry), datetime.now(UTC))
            return await self._changed(entry, "claim.released", by, case)

    async def extend(self, id: str, by: Principal) -> Case:
        """Give a pending submission more time.

        Raises:
            Problem: the principal is not a reviewer, it is not pending, or it has had all that may be added.
        """
        entry = self._waiting(id, by)
        async with self._queue.exclusive(entry):
            self._require_time(entry)
            settings, left = self._settings, self._queue.seconds_left(entry)
            case = extended_case(
                entry.case, settings.extension_seconds, left, datetime.now(UTC), settings.most_extra_seconds
            )
            if case is None:
                most = settings.most_extra_seconds / 60
                raise Problem(409, f"{id} was given {most:g} more minutes, which is all", hint="Decide now.")
            return await self._changed(entry, "submission.extended", by, case, until=case.deadline)

    def _waiting(self, id: str, by: Principal) -> ActiveSubmission:
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        return open_entry(self._queue, id)

    def _require_time(self, entry: ActiveSubmission) -> None:
        if entry.case.status is not Status.PENDING:
            raise Problem(409, f"{entry.id} is not pending: it is {entry.case.status}")
        if self._queue.overdue(entry):
            raise Problem(409, f"{entry.id} is past its deadline", hint="Have it submitted again.")

    async def _changed(
        self, entry: ActiveSubmission, type: str, by: Principal, case: Case, until: datetime | None = None
    ) -> Case:
        data = {"until": until.isoformat()} if until else {}
        await self._events.record(type, entry.id, by.name, data=data, case=case)
        self._queue.update(entry, case)
        if case.deadline:
            self._queue.expire_after(entry, max(0.0, (case.deadline - datetime.now(UTC)).total_seconds()))
        return case
