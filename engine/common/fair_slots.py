"""A bounded number of slots, shared out fairly between those who ask for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator


class FairSlots:
    """At most `slots` at once, and `each` of them for one name; waiting names are served round robin."""

    def __init__(self, slots: int, each: int) -> None:
        self._free = slots
        self._each = each
        self._held = Counter[str]()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @contextlib.asynccontextmanager
    async def slot(self, name: str) -> AsyncIterator[None]:
        """Wait for a slot, and hold it."""
        if self._free and self._held[name] < self._each and name not in self._waiting:
            self._take(name)
        else:
            await self._wait(name)
        try:
            yield
        finally:
            self._give_back(name)

    async def _wait(self, name: str) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._give_back(name)
            raise

    def _take(self, name: str) -> None:
        self._free -= 1
        self._held[name] += 1

    def _give_back(self, name: str) -> None:
        self._free += 1
        self._held -= Counter((name,))
        while self._free and (following := self._next()) is not None:
            self._take(following)

    def _next(self) -> str | None:
        """Wake the first of the next name that may have a slot, and move that name to the end."""
        for name in list(self._waiting):
            line = self._waiting[name]
            while line and line[0].done():  # cancelled while it waited
                line.popleft()
            if not line:
                del self._waiting[name]
            elif self._held[name] < self._each:
                line.popleft().set_result(None)
                self._waiting.move_to_end(name)
                if not line:
                    del self._waiting[name]
                return name
        return None
