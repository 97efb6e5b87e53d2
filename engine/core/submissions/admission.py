"""The gate before the desk: sizes, a rate for each principal, and a queue that ends somewhere."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.sessions.registry import SessionRegistry
from engine.core.submissions.active import ActiveSubmission, ActiveSubmissions
from engine.core.submissions.normalisation import add_implied_permissions
from engine.models import Draft, Principal
from engine.policy import excess
from engine.policy.output.assertions import parsed
from engine.policy.rate_limits import Buckets, too_large
from engine.settings import Settings

GVISOR = "runsc"
"""The runtime than which any other is weaker."""


class AdmissionControl:
    """Lets submissions in, or says when to come back. What is inside is never pushed out."""

    def __init__(
        self,
        settings: Settings,
        events: EventBus,
        active: ActiveSubmissions,
        register: SessionRegistry,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._events = events
        self._active = active
        self._register = register
        self._clock = clock
        policy = settings.policy
        self._rates = Buckets(policy.submissions_per_minute, policy.submissions_burst)
        self._session_rates = Buckets(policy.session_submissions_per_minute, policy.session_submissions_burst)
        self._log_rates = Buckets(per_minute=6, burst=3)
        self._arriving = Counter[str]()

    @property
    def weaker_runtime(self) -> bool:
        """Whether code would run without gVisor."""
        return self._settings.sandbox.runtime != GVISOR

    def complete(self, draft: Draft) -> Draft:
        """Return the draft with all that it asks for by what it is.

        Raises:
            Problem: a file leads out of the workspace, or two of them cannot lie beside each other.
        """
        return self._register.complete(add_implied_permissions(draft))

    @contextlib.asynccontextmanager
    async def admit(self, draft: Draft, requester: Principal) -> AsyncIterator[None]:
        """Hold a place for a draft until it stands in the queue.

        Raises:
            Problem: it is too large (413), asks for more than may be given or asserts what nobody can read
                (422), names a session that is not its requester's (404), comes too soon after others of the
                same requester or session, or the queue or the requester's part of it is full (429).
        """
        self._register.may_use(draft, requester)
        if draft.verify and isinstance(wrong := parsed(draft.verify), str):
            raise Problem(422, wrong)
        if large := too_large(draft, self._settings.policy):
            raise Problem(413, large)
        over = excess(draft.permissions, draft.permissions, self._settings.policy.ceiling)
        if over:
            raise Problem(422, f"more is asked for than may be given: {'; '.join(over)}")
        await self._check_rates(requester, draft.session)
        self._arriving[requester.name.text] += 1
        try:
            yield
        finally:
            self._arriving -= Counter((requester.name.text,))

    async def _check_rates(self, requester: Principal, session: str) -> None:
        await self._check_capacity(requester)
        wait = self._rates.take(requester.name.text, self._clock())
        if wait:
            raise await self._rejection(requester, "too many submissions in too short a time", wait)
        if session and (wait := self._session_rates.take(session, self._clock())):
            raise await self._rejection(requester, f"too many submissions for session {session}", wait)

    async def _check_capacity(self, requester: Principal) -> None:
        """Raise Problem where the queue is full, or the requester's own part of it."""
        server, inside = self._settings.server, len(self._active) + self._arriving.total()
        if inside >= server.max_pending:
            reason = f"{inside} submissions wait or run already"
            raise await self._rejection(requester, reason, _first_end(self._active))
        entries = [entry for entry in self._active if entry.case.submission.requester.name == requester.name]
        own = len(entries) + self._arriving[requester.name.text]
        if own >= server.max_pending_each:
            reason = f"{own} submissions of yours wait or run already, of {inside} in all"
            raise await self._rejection(
                requester, reason, _first_end(entries), "Withdraw some that wait, or come"
            )

    async def _rejection(self, requester: Principal, reason: str, wait: float, hint: str = "Come") -> Problem:
        """Record that somebody is turned away, a few times a minute each at most, and return the answer."""
        wait = max(1.0, wait)
        if not self._log_rates.take(requester.name.text, self._clock()):
            data = {"reason": reason, "retry_after": wait}
            await self._events.record("submission.throttled", "", requester.name, data=data, durable=False)
        return Problem(429, reason, hint=f"{hint} back in {wait:.0f} s.", retry_after=wait)


def _first_end(entries: Iterable[ActiveSubmission]) -> float:
    """Return the seconds until the first place becomes free for certain, where that is known."""
    ends = [entry.case.deadline for entry in entries if entry.case.deadline]
    return (min(ends) - datetime.now(UTC)).total_seconds() if ends else 10.0
