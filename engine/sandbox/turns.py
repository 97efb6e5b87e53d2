"""Who runs next: a cap on running sandboxes, and turns shared out by principal."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator


class Turns:
    """At most `places` hold a turn; waiting principals are served round robin, each in its own order."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(len(line) for line in self._waiting.values())

    def ahead(self, principal: str) -> int:
        """Return the place in the queue that a principal's next wish would have; 0 is at once."""
        if self._free and not self._waiting:
            return 0
        own = len(self._waiting.get(principal, ()))
        lines = (len(line) for name, line in self._waiting.items() if name != principal)
        return 1 + own + sum(min(line, own + 1) for line in lines)

    @contextlib.asynccontextmanager
    async def turn(self, principal: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(principal)
        try:
            yield
        finally:
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
