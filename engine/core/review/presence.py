"""Presence: which reviewers have a submission on screen now. In memory only; it locks nothing."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.queue import WorkQueue, open_entry
from engine.models import Principal
from engine.principals import may
from engine.principals.roles import Action

PRESENT_SECONDS = 12.0
"""Who does not say so again within this time has left."""
MOST_LOOKS = 1000
"""How many are remembered: of more, the earliest is forgotten."""
MOST_EACH = 20
"""How many of one reviewer: nobody pushes others out."""
MOST_NAMED = 10


class Presence:
    """Who looks at which submission."""

    def __init__(self, queue: WorkQueue, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue = queue
        self._clock = clock
        self._looks: OrderedDict[tuple[str, str], tuple[Untrusted, float]] = OrderedDict()
        """When a reviewer, by identity, last said so about a submission, the latest last."""

    def look(self, id: str, by: Principal) -> tuple[Untrusted, ...]:
        """Note that a reviewer has a submission on screen, and return who else has.

        Raises:
            Problem: the principal is not a reviewer (403), or the submission is over.
        """
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        open_entry(self._queue, id)
        now, key = self._clock(), (id, by.identity)
        self._looks.pop(key, None)
        self._looks[key] = by.name, now
        own = [each for each in self._looks if each[1] == by.identity]
        for earlier in own[:-MOST_EACH]:
            del self._looks[earlier]
        self._forget(now)
        others = [name for (of, who), (name, _) in self._looks.items() if of == id and who != by.identity]
        return tuple(others[-MOST_NAMED:])

    def _forget(self, now: float) -> None:
        """Drop who has left, and the earliest of too many."""
        while self._looks:
            key, (_, at) = next(iter(self._looks.items()))
            if at > now - PRESENT_SECONDS and len(self._looks) <= MOST_LOOKS:
                break
            del self._looks[key]
