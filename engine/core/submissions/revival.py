"""Revival: what expired before anybody decided waits again, as a new submission of the same request."""

from __future__ import annotations

import asyncio
from functools import partial

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.history.queries import Queries
from engine.core.queue import WorkQueue
from engine.core.submissions.idempotency import IdempotentSubmissions
from engine.core.submissions.service import SubmissionService
from engine.history.errors import AlreadyRecordedError
from engine.models import Case, Principal, Status
from engine.principals import may
from engine.principals.roles import Action


class Revivals:
    """Lets reviewers decide late: each expired submission is revived once."""

    def __init__(
        self,
        submissions: SubmissionService,
        intake: IdempotentSubmissions,
        events: EventBus,
        queries: Queries,
        queue: WorkQueue,
    ) -> None:
        self._submissions = submissions
        self._intake = intake
        self._events = events
        self._queries = queries
        self._queue = queue
        self._turn = asyncio.Lock()

    async def revive(self, id: str, by: Principal) -> Case:
        """Return the new case of an expired submission; its requester gets the result for the same request.

        Raises:
            Problem: the principal may not (403), there is no such submission (404), it did not expire, was
                revived or erased (409), or it is not admitted.
        """
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        async with self._turn:
            expired = await self._queries.case(id)
            _require_expired(expired)
            revived = await self._submissions.submit_again(
                expired.submission, partial(self._link, expired, by)
            )
        self._queue.pass_leases_on(id, revived.submission.id)
        self._intake.expect(revived)
        return revived

    async def _link(self, expired: Case, by: Principal, new: str) -> None:
        """Record as what it waits again, before it does. Raises Problem (409): another engine has done so."""
        id, linked = expired.submission.id, expired.with_revival(new)
        try:
            data = {"revived_as": new}
            await self._events.record("submission.revived", id, by.name, data=data, case=linked)
        except AlreadyRecordedError as error:
            raise Problem(409, f"{id} was revived meanwhile at another engine", hint=error.hint) from None


def _require_expired(case: Case) -> None:
    id = case.submission.id
    if case.status is not Status.EXPIRED:
        raise Problem(409, f"{id} did not expire: it is {case.status}")
    if case.revived_as:
        raise Problem(
            409, f"{id} was revived as {case.revived_as}", hint=f"Type: pratique show {case.revived_as}"
        )
