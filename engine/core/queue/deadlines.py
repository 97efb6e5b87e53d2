"""Deadlines by a clock that nobody sets, and that counts the time that a machine sleeps."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 1.0
"""How soon after a suspend a deadline that passed meanwhile is noticed: timers of the loop stand still."""

Clock = Callable[[], float]


def elapsed_seconds() -> float:
    """Return seconds since the boot of the machine, sleep included; nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(order=True)
class _Deadline(Generic[T]):
    """One deadline."""

    at: float
    number: int
    item: T = field(compare=False)


class Deadlines(Generic[T]):
    """Reports each item once its deadline has passed, unless it was cancelled before."""

    def __init__(self, passed: Callable[[T], None], clock: Clock = elapsed_seconds) -> None:
        self._passed = passed
        self._clock = clock
        self._heap: list[_Deadline[T]] = []
        self._current: dict[T, _Deadline[T]] = {}
        self._number = 0
        self._changed = asyncio.Event()

    def set(self, item: T, seconds: float) -> None:
        """Set the deadline of an item, in place of the one it has."""
        self._number += 1
        deadline = _Deadline(self._clock() + seconds, self._number, item)
        self._current[item] = deadline
        heapq.heappush(self._heap, deadline)
        self._changed.set()

    def cancel(self, item: T) -> None:
        """Remove the deadline of an item, if it has one."""
        self._current.pop(item, None)

    def clear(self) -> None:
        """Remove every deadline."""
        self._current.clear()
        self._heap.clear()

    def left(self, item: T) -> float | None:
        """Return the seconds until the deadline of an item; None if it has none."""
        deadline = self._current.get(item)
        return None if deadline is None else deadline.at - self._clock()

    async def run(self) -> None:
        """Report what passes, until cancelled."""
        while True:
            self._changed.clear()
            pause = self._report()
            try:
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _report(self) -> float | None:
        """Report what has passed, and return in how many seconds to look again."""
        while self._heap:
            first = self._heap[0]
            if self._current.get(first.item) is not first:
                heapq.heappop(self._heap)
            elif (left := first.at - self._clock()) > 0:
                return min(left, LOOK_SECONDS)
            else:
                heapq.heappop(self._heap)
                del self._current[first.item]
                self._passed(first.item)
        return None
