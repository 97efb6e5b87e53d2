"""What was written and not read yet: bounded for all readers together, and for each in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MOST_BUFFERED = 64 << 20
"""Bytes that may wait for the readers of an endpoint; beyond that who has waited longest is dropped."""
CHECK_SECONDS = 5.0
STALLED_SECONDS = 30.0
"""How long a reader may take for `LEAST_READ` bytes."""
LEAST_READ = 16 << 10


class WriteBuffers:
    """The connections that wait for their readers, the longest first, with the bytes that wait."""

    def __init__(self, most: int = MOST_BUFFERED) -> None:
        self._most = most
        self._waiting: dict[StalledReader, int] = {}
        self._total = 0

    def add(self, reader: StalledReader, size: int) -> None:
        """Count what waits for a reader, and drop others where it is too much in all."""
        self._waiting[reader] = size
        self._total += size
        while self._total > self._most:
            longest = next(iter(self._waiting))
            self.remove(longest)
            longest.drop()

    def remove(self, reader: StalledReader) -> None:
        """Stop counting a reader."""
        self._total -= self._waiting.pop(reader, 0)


class StalledReader:
    """Watches one connection whose reader is behind, and drops it once it hardly reads any more."""

    def __init__(self, buffers: WriteBuffers, transport: asyncio.WriteTransport) -> None:
        self._buffers = buffers
        self._size: Callable[[], int] = transport.get_write_buffer_size
        self.drop: Callable[[], None] = transport.abort
        self._loop = asyncio.get_running_loop()
        self._left = self._size()
        self._since = self._loop.time()
        self._next = self._loop.call_later(CHECK_SECONDS, self._check)
        buffers.add(self, self._left)

    def end(self) -> None:
        """Stop watching: the reader has caught up, or is gone."""
        self._next.cancel()
        self._buffers.remove(self)

    def _check(self) -> None:
        now, left = self._loop.time(), self._size()
        if left <= self._left - LEAST_READ:
            self._left, self._since = left, now
        if now - self._since < STALLED_SECONDS:
            self._next = self._loop.call_later(CHECK_SECONDS, self._check)
            return
        self._buffers.remove(self)
        self.drop()
