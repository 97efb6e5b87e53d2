"""The limit of concurrent requests of one endpoint."""

from __future__ import annotations

import time


class ConcurrencyLimit:
    """Counts the requests of one endpoint, so that no endpoint uses the capacity of another."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._active = 0
        self._last = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last request ended; 0 while one is active."""
        return 0.0 if self._active else time.monotonic() - self._last

    def enter(self) -> bool:
        """Count a request that begins, and return whether it is within the limit."""
        self._active += 1
        return self._active <= self._limit

    def leave(self) -> None:
        """Count a request that ended."""
        self._active -= 1
        self._last = time.monotonic()
