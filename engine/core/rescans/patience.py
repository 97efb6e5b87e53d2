"""Lets others go first: a rescan waits while anything else is recorded, but never for ever."""

from __future__ import annotations

import asyncio
import time

from engine.models import Event

QUIET_SECONDS = 0.05
"""So long nothing else was recorded when a rescan goes on."""
LONGEST_WAIT = 0.5
"""Then one submission is rescanned, however much goes on."""
OWN = ("rescan.", "submission.rescanned")
"""Types of the events of a rescan itself."""


class Patience:
    """Knows when something else was recorded last."""

    def __init__(self) -> None:
        self._last = 0.0

    def on_event(self, event: Event) -> None:
        """Note that somebody else is served."""
        if not event.type.startswith(OWN):
            self._last = time.monotonic()

    async def wait(self) -> None:
        """Wait until nothing else was recorded for a moment."""
        began = time.monotonic()
        while left := seconds_left(time.monotonic(), began, self._last):
            await asyncio.sleep(left)


def seconds_left(now: float, began: float, last: float) -> float:
    """Return how long to wait yet, having begun to wait then, after what was recorded last; 0: no longer."""
    return max(0.0, min(last + QUIET_SECONDS, began + LONGEST_WAIT) - now)
