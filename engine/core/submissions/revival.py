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
from engine.core.submissions.recorded_leases import recorded_leases
from engine.core.submissions.service import SubmissionService
from engine.history.errors import AlreadyRecordedError
from engine.models import Case, Principal, Status
from engine.principals import may
from engine.principals.roles import Action


class Revivals:
    """Lets reviewers decide late: each expired submission is revived once.

    A revival that an engine recorded, and did not finish because it ended, is finished when it is asked for
    again: the new submission has the id that was recorded.
    """

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
            await self._require_open(expired)
            leases = await recorded_leases(self._events, id)
            revived = await self._submissions.submit_again(
                expired.submission, partial(self._link, expired, by), expired.revived_as, leases
            )
        self._hold(expired, revived.submission.id, leases)
        self._intake.expect(revived)
        return revived

    def _hold(self, expired: Case, new: str, recorded: tuple[str, ...]) -> None:
        """Bind what waits again to those who waited before, also to those of before a restart.

        Where several engines write, a client may be connected to another one, which alone knows that it is.
        """
        self._queue.pass_leases_on(expired.submission.id, new)
        if self._events.log.engines is None:
            for lease in recorded:
                self._queue.lease(lease, new)

    async def _require_open(self, case: Case) -> None:
        """Raise Problem (409) unless it expired, and was not revived, or only by half."""
        id, new = case.submission.id, case.revived_as
        if case.status is not Status.EXPIRED:
            raise Problem(409, f"{id} did not expire: it is {case.status}")
        if new and not await self._queries.is_missing_revival(case):
            raise Problem(409, f"{id} was revived as {new}", hint=f"Type: pratique show {new}")

    async def _link(self, expired: Case, by: Principal, new: str) -> None:
        """Record as what it waits again, before it does. Raises Problem (409): another engine has done so."""
        if expired.revived_as == new:
            return
        id, linked = expired.submission.id, expired.with_revival(new)
        try:
            data = {"revived_as": new}
            await self._events.record("submission.revived", id, by.name, data=data, case=linked)
        except AlreadyRecordedError as error:
            raise Problem(409, f"{id} was revived meanwhile at another engine", hint=error.hint) from None
