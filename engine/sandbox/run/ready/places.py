"""Whether there is place for spare sandboxes: what is needed comes first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

PAUSE_SECONDS = 15.0
"""How long none is made after a needed sandbox found no place: until that one has started, as a rule."""
_T = TypeVar("_T")


class Places:
    """Makes spare sandboxes, one at a time, unless something that is needed finds no place."""

    def __init__(self) -> None:
        self._full_until = 0.0
        self._making: asyncio.Timeout | None = None

    @property
    def full(self) -> bool:
        """Whether something that is needed found no place a moment ago."""
        return time.monotonic() < self._full_until

    def give_way(self) -> None:
        """Stop making the one that is being made, and make none for a while."""
        self._full_until = time.monotonic() + PAUSE_SECONDS
        if self._making is not None and not self._making.expired():
            self._making.reschedule(asyncio.get_running_loop().time())

    async def make(self, create: Callable[[], Awaitable[_T]]) -> _T | None:
        """Return what a call creates, or None where there is no place for it."""
        if self.full:
            return None
        made: _T | None = None
        try:
            async with asyncio.timeout(None) as self._making:
                made = await create()
        except TimeoutError:
            if not self.full:
                raise
        finally:
            self._making = None
        return made
