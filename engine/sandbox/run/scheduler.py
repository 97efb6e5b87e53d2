"""Which run starts next: a cap on running sandboxes, and slots shared out fairly by principal."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator

from engine.sandbox.api.run_events import RunQueued

_FIRST_ESTIMATE = 2.0
"""Seconds that a run takes, before any was measured."""
_WEIGHT = 0.2
"""The weight of the last run in the average."""


class FairScheduler:
    """At most `slots` runs hold a slot; waiting principals are served round robin, each in its own order."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._free = slots
        self._average = _FIRST_ESTIMATE
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def pending(self) -> int:
        """How many runs wait."""
        return sum(len(line) for line in self._waiting.values())

    def ahead(self, principal: str) -> int:
        """Return the queue position that a principal's next run would have; 0 is at once."""
        if self._free and not self._waiting:
            return 0
        own = len(self._waiting.get(principal, ()))
        lines = (len(line) for name, line in self._waiting.items() if name != principal)
        return 1 + own + sum(min(line, own + 1) for line in lines)

    def queued(self, principal: str) -> RunQueued | None:
        """Return the position and estimated wait of a principal's next run; None if it starts at once."""
        position = self.ahead(principal)
        rounds = -(-position // self._slots)
        seconds = round(rounds * self._average, 1)
        return RunQueued(position=position, seconds=seconds) if position else None

    @contextlib.asynccontextmanager
    async def slot(self, principal: str) -> AsyncIterator[None]:
        """Wait for a slot, and hold it."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(principal)
        began = time.monotonic()
        try:
            yield
        finally:
            self._average += (time.monotonic() - began - self._average) * _WEIGHT
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
