"""When a drill is slipped into the queue, in whose name, and which one."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random, SystemRandom

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.core.drills import catalogue
from engine.core.drills.service import Drills
from engine.core.queue import WorkQueue
from engine.core.submissions.service import SubmissionService
from engine.models import Event, Language, Principal

MOST_DELAY_SECONDS = 300.0
"""A drill comes within this time after the submission that called for it."""
REMEMBERED = 30
"""In the name of one of so many requesters, the latest, a drill comes."""


class DrillSchedule:
    """Slips a drill in for one of so many submissions, by chance; one waits at a time."""

    def __init__(
        self,
        drills: Drills,
        every: int,
        queue: WorkQueue,
        submissions: SubmissionService,
        supervisor: Supervisor,
        chance: Random | None = None,
    ) -> None:
        self._drills = drills
        self._every = every
        self._queue = queue
        self._submissions = submissions
        self._supervisor = supervisor
        self._chance = chance or SystemRandom()
        self._seen: deque[tuple[Principal, Language]] = deque(maxlen=REMEMBERED)
        self.delay: Callable[[], float] = partial(self._chance.uniform, 0, MOST_DELAY_SECONDS)
        """Seconds until the drill comes."""

    def on_event(self, event: Event) -> None:
        """Note who submits, and decide by chance whether a drill follows."""
        entry = self._queue.find(event.subject) if event.type == "submission.assessed" else None
        if not self._drills.ready or entry is None or entry.is_drill:
            return
        draft = entry.case.submission.draft
        if draft.session or draft.operation:
            return
        self._seen.append((entry.case.submission.requester, draft.language))
        if self._chance.randrange(self._every) == 0:
            self._supervisor.start("drills", self._later)

    async def _later(self) -> None:
        await asyncio.sleep(self.delay())
        if any(entry.is_drill for entry in self._queue):
            return
        requester, language = self._chance.choice(self._seen)
        draft = catalogue.draft_of(self._sample(language), self._chance)
        with contextlib.suppress(Problem):
            await self._submissions.take_drill(draft, stranger_like(requester), self._drills.new_id())

    def _sample(self, language: Language) -> str:
        """Return the name of one of the samples that were answered least often."""
        names, used = catalogue.names(language), self._drills.used
        least = min(used.get(name, 0) for name in names)
        return self._chance.choice([name for name in names if used.get(name, 0) == least])


def stranger_like(requester: Principal) -> Principal:
    """Return a requester that looks like another one and is not: no agent is answered for a drill.

    The owner of the socket, who sees everything, is the only one whose own name it has.
    """
    id = requester.id
    if id.startswith("token:"):
        return requester.with_identity(requester.name, f"token:t-{secrets.token_hex(4)}")
    if "/agent:" in id:
        fresh, of = secrets.token_hex(16), id.partition("/")[0]
        label = requester.name.text.rpartition("#")[0]
        return requester.with_identity(Untrusted(f"{label}#{fresh[:6]}"), f"{of}/agent:{fresh}")
    return requester
