"""Assignments: which reviewer a submission is meant for. Nobody else is kept from deciding."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.core.queue import WorkQueue, open_entry
from engine.models import Assignment, Case, Principal, Status
from engine.principals import may
from engine.principals.roles import Action

ME = "me"
"""Stands for whoever assigns."""


class Assignments:
    """Assigns pending submissions to reviewers, by name."""

    def __init__(self, events: EventBus, queue: WorkQueue) -> None:
        self._events = events
        self._queue = queue

    async def assign(self, id: str, to: Untrusted, by: Principal) -> Case:
        """Assign a pending submission to somebody, to whoever asks (`me`), or to nobody (an empty name).

        Raises:
            Problem: the principal is not a reviewer (403), or it is not pending (409).
        """
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        entry = open_entry(self._queue, id)
        async with self._queue.exclusive(entry):
            if entry.case.status is not Status.PENDING:
                raise Problem(409, f"{id} is not pending: it is {entry.case.status}")
            name = by.name if to.text == ME else to
            made = Assignment(to=name, by=by.name, at=datetime.now(UTC)) if name.text else None
            case = entry.case.with_assignment(made)
            type = "assignment.made" if made else "assignment.removed"
            await self._events.record(type, id, by.name, data={"to": name.text}, case=case)
            self._queue.update(entry, case)
        return case
