"""Who runs next: a cap on running sandboxes, and turns shared out by principal."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator

_FIRST_GUESS = 2.0
"""Seconds that a turn takes, before any was seen."""
_WEIGHT = 0.2
"""How much the last turn counts for what is usual."""


class FairScheduler:
    """At most `places` hold a turn; waiting principals are served round robin, each in its own order."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._free = places
        self._usual = _FIRST_GUESS
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def pending(self) -> int:
        """How many wait."""
        return sum(len(line) for line in self._waiting.values())

    def ahead(self, principal: str) -> int:
        """Return the place in the queue that a principal's next wish would have; 0 is at once."""
        if self._free and not self._waiting:
            return 0
        own = len(self._waiting.get(principal, ()))
        lines = (len(line) for name, line in self._waiting.items() if name != principal)
        return 1 + own + sum(min(line, own + 1) for line in lines)

    def told(self, principal: str) -> dict[str, float]:
        """Return what whoever has to wait is told: the place, and a guess at the seconds; or nothing."""
        position = self.ahead(principal)
        rounds = -(-position // self._places)
        return {"position": position, "seconds": round(rounds * self._usual, 1)} if position else {}

    @contextlib.asynccontextmanager
    async def turn(self, principal: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(principal)
        began = time.monotonic()
        try:
            yield
        finally:
            self._usual += (time.monotonic() - began - self._usual) * _WEIGHT
            self._pass_on()

    async def _wait(self, principal: str) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(principal, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            principal, line = self._waiting.popitem(last=False)
            place = line.popleft()
            if line:
                self._waiting[principal] = line
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
