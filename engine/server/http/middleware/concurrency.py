"""The limit of concurrent requests of one endpoint."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator

from engine.common.errors import Problem

SHARE = 4
"""One token may have this fraction of all concurrent requests: a quarter."""


class ConcurrencyLimit:
    """Counts the requests of one endpoint, so that no endpoint uses the capacity of another."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._active = 0
        self._last = time.monotonic()
        self._by_token: Counter[str] = Counter()

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

    @contextlib.contextmanager
    def share(self, token: str) -> Iterator[None]:
        """Count a request of a token; the owner of the socket has none, and is not counted.

        Raises:
            Problem: the token has too many concurrent requests.
        """
        if token and self._by_token[token] >= max(1, self._limit // SHARE):
            title = "too many concurrent requests of this token"
            raise Problem(429, title, hint="Close streams that nobody reads.", retry_after=1)
        self._by_token[token] += 1
        try:
            yield
        finally:
            self._by_token[token] -= 1
            if not self._by_token[token]:
                del self._by_token[token]
