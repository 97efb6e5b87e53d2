"""Idempotent submission: a repeated request returns the earlier submission; requesters withdraw theirs."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.history.queries import Queries
from engine.core.review.revisions import Revisions
from engine.core.runs.service import Runs
from engine.core.submissions.idempotency_keys import FIELD, IdempotencyKeys, key_hash
from engine.core.submissions.service import SubmissionService
from engine.models import Case, Draft, Principal, Status


class IdempotentSubmissions:
    """Submits requests that may be repeated, and withdraws them for their requesters."""

    def __init__(
        self,
        submissions: SubmissionService,
        runs: Runs,
        events: EventBus,
        queries: Queries,
        revisions: Revisions,
    ) -> None:
        self._submissions = submissions
        self._runs = runs
        self._events = events
        self._queries = queries
        self._revisions = revisions
        self._keys = IdempotencyKeys(events)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def submit(self, draft: Draft, requester: Principal, *, key: str = "", join: bool = False) -> Case:
        """Submit a draft once: a `key` of the last 24 hours, or an open twin where `join`, answers instead.

        Raises:
            Problem: the key was used for another request, it revises what is not its requester's own, or the
                submission is refused.
        """
        await self._revisions.check(draft, requester)
        if not key:
            return await self._submit(draft, requester, "", join)
        hashed = key_hash(requester, key)
        async with self._turn(hashed):
            made = await self._keys.find(hashed)
            if made is None:
                case = await self._submit(draft, requester, hashed, join)
                self._keys.remember(hashed, case.submission.id, case.submission.request_digest)
                return case
        if made.digest != self._submissions.digest_of(draft, requester):
            raise Problem(422, "this idempotency key came with another request", hint="Use a new key.")
        return await self._queries.case(made.id)

    async def withdraw(self, id: str, by: Principal) -> Case:
        """End a submission at its requester's wish: before a decision it is denied, a run is killed.

        Raises:
            Problem: it is over, belongs to another requester, or is about to start.
        """
        case = await self._queries.case(id)
        if not case.submission.requester.is_same(by):
            raise Problem(403, f"{id} is not yours to withdraw")
        if case.status is Status.PENDING:
            return await self._submissions.withdraw(id, by)
        await self._runs.kill(id, by)
        return await self._queries.case(id)

    async def _submit(self, draft: Draft, requester: Principal, hashed: str, join: bool) -> Case:
        if not join:
            return await self._submissions.submit(draft, requester, hashed)
        digest = self._submissions.digest_of(draft, requester)
        async with self._turn(digest):
            twin = self._submissions.open_twin(draft, requester)
            if twin is None:
                return await self._submissions.submit(draft, requester, hashed)
        data = {"digest": digest, FIELD: hashed} if hashed else {"digest": digest}
        await self._events.record("submission.joined", twin.submission.id, requester.name, data=data)
        return twin

    def _turn(self, name: str) -> asyncio.Lock:
        """Return the lock that requests of one key or digest take turns with; it lives while one is held."""
        return self._turns.setdefault(name, asyncio.Lock())
