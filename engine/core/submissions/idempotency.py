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
from engine.core.submissions.recorded_leases import lease_data, recorded_leases
from engine.core.submissions.service import REVOKED, SubmissionService
from engine.core.submissions.undelivered import Undelivered
from engine.history.errors import KeyTakenError
from engine.models import WITHDRAWN, Case, Draft, Principal, Status

ELSEWHERE_SECONDS, AGAIN_SECONDS = 5.0, 0.1
"""How long a submission that another engine makes with the same key is waited for, and how often it looks."""
TAKEN_BACK_SECONDS = 300.0
"""How long a request returns a result again whose receipt was taken back."""


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
        self._undelivered = Undelivered()
        self.keys = self._keys
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def submit(
        self,
        draft: Draft,
        requester: Principal,
        *,
        key: str = "",
        join: bool = False,
        until_delivered: bool = False,
        lease: str = "",
    ) -> Case:
        """Submit a draft once: a `key` of the last 24 hours, or a twin where `join`, answers instead.

        A twin is open; with `until_delivered`, it may also have ended, if its result was not received.
        The `lease` that it comes with is recorded.

        Raises:
            Problem: the key was used for another request, it revises what is not its requester's own, or the
                submission is refused.
        """
        await self._revisions.check(draft, requester)
        if until_delivered and (twin := await self._ended_twin(draft, requester)):
            case = twin
        else:
            case = await self._submit_once(draft, requester, key, lease, join=join)
        if until_delivered:
            self._undelivered.expect(case)
        return case

    def expect(self, case: Case) -> None:
        """Note that the requester of a submission may still wait for its result, after a restart, too."""
        self._undelivered.expect(case)

    async def _submit_once(
        self, draft: Draft, requester: Principal, key: str, lease: str, *, join: bool
    ) -> Case:
        if not key:
            return await self._submit(draft, requester, "", lease, join=join)
        hashed = key_hash(requester, key)
        async with self._turn(hashed):
            made = await self._keys.find(hashed)
            if made is None:
                try:
                    case = await self._submit(draft, requester, hashed, lease, join=join)
                except KeyTakenError as taken:
                    return await self._made_elsewhere(taken.submission, draft, requester)
                self._keys.remember(hashed, case.submission.id, case.submission.request_digest)
                return case
        self._require_same(made.digest, draft, requester)
        if self._events.log.engines:
            case = await self._made_elsewhere(made.id, draft, requester)
        else:
            case = await self._queries.case(made.id)
        await self._record_lease(case, requester, lease)
        return case

    async def _record_lease(self, case: Case, requester: Principal, lease: str) -> None:
        """Record with which further lease a request came again, while its submission waits."""
        id = case.submission.id
        if not lease or case.status is not Status.PENDING:
            return
        if lease not in await recorded_leases(self._events, id):
            data = {"digest": case.submission.request_digest} | lease_data([lease])
            await self._events.record("submission.joined", id, requester.name, data=data)

    async def _made_elsewhere(self, id: str, draft: Draft, requester: Principal) -> Case:
        """Return the submission that another engine makes of the same request, once it is recorded.

        Raises:
            Problem: it came with another request, or is not recorded in time.
        """
        try:
            async with asyncio.timeout(ELSEWHERE_SECONDS):
                while (case := await self._events.log.read.case(id)) is None:
                    await asyncio.sleep(AGAIN_SECONDS)
        except TimeoutError:
            what = f"another engine began {id} with this idempotency key, and has not recorded it"
            raise Problem(503, what, hint="Try again, or use a new key.", retry_after=5) from None
        self._require_same(case.submission.request_digest, draft, requester)
        return case

    def _require_same(self, digest: str, draft: Draft, requester: Principal) -> None:
        if digest != self._submissions.digest_of(draft, requester):
            raise Problem(422, "this idempotency key came with another request", hint="Use a new key.")

    async def received(self, id: str, by: Principal, kept_seconds: float) -> None:
        """Note that its requester has a result; for `kept_seconds` more the same request returns it still.

        Raises:
            Problem: it belongs to another requester.
        """
        self._undelivered.delivered(await self._own_case(id, by), kept_seconds)

    async def not_received(self, id: str, by: Principal) -> None:
        """Take back that its requester has a result: for some minutes the same request returns it again.

        Raises:
            Problem: it belongs to another requester.
        """
        self._undelivered.not_delivered(await self._own_case(id, by), TAKEN_BACK_SECONDS)

    async def _own_case(self, id: str, by: Principal) -> Case:
        case = await self._queries.case(id)
        if not case.submission.requester.is_same(by):
            raise Problem(403, f"{id} is not yours to receive")
        return case

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

    async def _ended_twin(self, draft: Draft, requester: Principal) -> Case | None:
        """Return a submission of the same request that ran or was answered no, if that was not received."""
        id = self._undelivered.find(self._submissions.digest_of(draft, requester))
        case = await self._queries.case(id) if id else None
        return case if case is not None and _was_answered(case) else None

    async def _submit(
        self, draft: Draft, requester: Principal, hashed: str, lease: str, *, join: bool
    ) -> Case:
        if not join:
            return await self._submissions.submit(draft, requester, hashed, lease)
        digest = self._submissions.digest_of(draft, requester)
        async with self._turn(digest):
            twin = self._submissions.open_twin(draft, requester)
            if twin is None:
                return await self._submissions.submit(draft, requester, hashed, lease)
        data = {"digest": digest} | ({FIELD: hashed} if hashed else {}) | lease_data([lease])
        await self._events.record("submission.joined", twin.submission.id, requester.name, data=data)
        return twin

    def _turn(self, name: str) -> asyncio.Lock:
        """Return the lock that requests of one key or digest take turns with; it lives while one is held."""
        return self._turns.setdefault(name, asyncio.Lock())


def _was_answered(case: Case) -> bool:
    """Return whether it ran, or a person said no; what nobody decided about is asked for again."""
    if case.decision is None or case.decision.reason.text in {WITHDRAWN, REVOKED}:
        return False
    return case.result is not None or case.status in {Status.DENIED, Status.CHANGES_REQUESTED}
