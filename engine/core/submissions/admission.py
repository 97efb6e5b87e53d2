"""Admission control: sizes, a rate limit for each principal, and a bounded queue."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Callable

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.queue import QueueFull, WorkQueue
from engine.core.sessions.registry import SessionRegistry
from engine.core.submissions.normalisation import add_implied_permissions
from engine.models import Draft, IsolationProof, Principal, Submission
from engine.policy import excess
from engine.policy.output.assertions import parse_assertion
from engine.policy.rate_limits import Buckets, too_large
from engine.settings import Settings


class AdmissionControl:
    """Lets submissions in, or says when to come back. What is inside is never pushed out."""

    def __init__(
        self,
        settings: Settings,
        events: EventBus,
        queue: WorkQueue,
        registry: SessionRegistry,
        proof: Callable[[], IsolationProof | None],
        entitled: Callable[[Principal], bool],
        blocked: Callable[[Submission], str] = lambda _: "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._events = events
        self._queue = queue
        self._registry = registry
        self._proof = proof
        self._clock = clock
        self.entitled = entitled
        """Whether the token of a requester, if that has one, is not revoked."""
        self.blocked = blocked
        """Why a submission is refused by a block; empty where it is not."""
        policy = settings.policy
        self._rates = Buckets(policy.submissions_per_minute, policy.submissions_burst)
        self._session_rates = Buckets(policy.session_submissions_per_minute, policy.session_submissions_burst)
        self._log_rates = Buckets(per_minute=6, burst=3)

    @property
    def weaker_runtime(self) -> bool:
        """Whether the sandboxes proved not to be isolated."""
        proof = self._proof()
        return proof is not None and not proof.isolated

    def complete(self, draft: Draft) -> Draft:
        """Return the draft with all that it asks for by what it is.

        Raises:
            Problem: a file leads out of the workspace, or two of them cannot lie beside each other.
        """
        return self._registry.complete(add_implied_permissions(draft))

    @contextlib.asynccontextmanager
    async def admit(self, draft: Draft, requester: Principal) -> AsyncIterator[None]:
        """Reserve capacity for a draft until it is in the queue.

        Raises:
            Problem: it is too large (413), asks for more than may be given or asserts what nobody can read
                (422), names a session that is not its requester's (404), comes too soon after others of the
                same requester or session, the queue or the requester's part of it is full (429), or the
                history takes no records (503).
        """
        self._events.require_ready()
        self._registry.check_draft(draft, requester)
        if draft.verify and isinstance(wrong := parse_assertion(draft.verify), str):
            raise Problem(422, wrong)
        if large := too_large(draft, self._settings.policy):
            raise Problem(413, large)
        over = excess(draft.permissions, draft.permissions, self._settings.policy.ceiling)
        if over:
            raise Problem(422, f"more is asked for than may be given: {'; '.join(over)}")
        try:
            async with self._queue.reserve(requester):
                await self._check_rates(requester, draft.session)
                yield
        except QueueFull as full:
            raise await self._rejection(requester, full.reason, full.retry_after, full.hint) from None

    async def _check_rates(self, requester: Principal, session: str) -> None:
        wait = self._rates.take(requester.account, self._clock())
        if wait:
            raise await self._rejection(requester, "too many submissions in too short a time", wait)
        if session and (wait := self._session_rates.take(session, self._clock())):
            raise await self._rejection(requester, f"too many submissions for session {session}", wait)

    async def _rejection(self, requester: Principal, reason: str, wait: float, hint: str = "Come") -> Problem:
        """Record a rejected request, at a limited rate, and return the error."""
        wait = max(1.0, wait)
        if not self._log_rates.take(requester.account, self._clock()):
            data = {"reason": reason, "retry_after": wait}
            await self._events.record("submission.throttled", "", requester.name, data=data, durable=False)
        return Problem(429, reason, hint=f"{hint} back in {wait:.0f} s.", retry_after=wait)
