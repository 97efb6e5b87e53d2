"""Submissions whose results their requesters do not have yet: the same request gets them.

Known for as long as the engine runs: after a restart the same request gets what was open then; what had ended
before is submitted anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.models import Case

MOST = 10_000
KEPT_SECONDS = 24 * 3600.0


@dataclass(slots=True)
class _Expected:
    id: str
    session: str
    until: float


class Undelivered:
    """By the digest of a request, the submission whose result is expected."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._expected: dict[str, _Expected] = {}

    def expect(self, case: Case) -> None:
        """Note that somebody waits for the result of a submission.

        In a session it takes the place of every other one: what came before it ran in another state. Who asks
        again for what is kept a little longer does not make it kept for longer.
        """
        session = case.submission.draft.session
        for digest, one in list(self._expected.items()) if session else ():
            if one.session == session and one.id != case.submission.id:
                del self._expected[digest]
        before = self._expected.pop(case.submission.request_digest, None)
        until = self._clock() + KEPT_SECONDS
        if before and before.id == case.submission.id:
            until = min(until, before.until)
        self._keep(case, until)

    def find(self, digest: str) -> str:
        """Return the id of the submission whose result was not delivered; empty if there is none."""
        one = self._expected.get(digest)
        return one.id if one and one.until > self._clock() else ""

    def not_delivered(self, case: Case, kept_seconds: float) -> None:
        """Note that its requester does not have a result that it was thought to have.

        Where the same request was submitted anew since, or its session was used since, nothing changes. What
        is expected for longer already stays so.
        """
        digest, session = case.submission.request_digest, case.submission.draft.session
        known = self._expected.get(digest)
        if known and known.id != case.submission.id:
            return
        if session and any(one.session == session for one in self._expected.values() if one is not known):
            return
        self._keep(case, max(self._clock() + kept_seconds, known.until if known else 0.0))

    def _keep(self, case: Case, until: float) -> None:
        """Remember a submission as the latest; of too many, those whose time is over go first."""
        self._expected.pop(case.submission.request_digest, None)
        expected = _Expected(case.submission.id, case.submission.draft.session, until)
        self._expected[case.submission.request_digest] = expected
        if len(self._expected) > MOST:
            now = self._clock()
            self._expected = {digest: one for digest, one in self._expected.items() if one.until > now}
        while len(self._expected) > MOST:
            del self._expected[next(iter(self._expected))]

    def delivered(self, case: Case, kept_seconds: float) -> None:
        """Note that its requester has a result, or most probably has: then it is kept a little longer."""
        one = self._expected.get(case.submission.request_digest)
        if one is None or one.id != case.submission.id:
            return
        if kept_seconds:
            one.until = min(one.until, self._clock() + kept_seconds)
        else:
            del self._expected[case.submission.request_digest]
