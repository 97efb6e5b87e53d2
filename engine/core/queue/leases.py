"""Client leases: a submission is abandoned once no client that leased it is connected any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable

MOST_HELD = 10_000
"""Of so many submissions, the latest, it is known who held them once they are over."""


class ClientLeases:
    """Which clients are connected, and which submissions they hold. A client that is gone has a grace."""

    def __init__(
        self, grace_seconds: float, is_open: Callable[[str], bool], abandoned: Callable[[str], None]
    ) -> None:
        self._grace = grace_seconds
        self._is_open = is_open
        self._abandoned = abandoned
        self._connections: Counter[str] = Counter()
        self._leases: dict[str, set[str]] = {}
        self._ending: dict[str, asyncio.TimerHandle] = {}
        self._started = False
        self._held: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        """The leases that ever held each submission, also one that is over."""

    def start(self) -> None:
        """Let leases end from now on."""
        self._started = True

    def stop(self) -> None:
        """Let no lease end any more."""
        self._started = False
        for timer in self._ending.values():
            timer.cancel()
        self._ending.clear()

    def take(self, lease: str, id: str) -> None:
        """Bind a submission to a client; one that is not connected has the grace to connect."""
        self._forget_closed()
        self._leases.setdefault(id, set()).add(lease)
        self._remember(id, lease)
        if not self._connections[lease]:
            self._start_grace(lease)

    def pass_on(self, old: str, new: str) -> None:
        """Bind a submission to the clients that held another one; each has the grace to come back."""
        for lease in self._held.get(old, ()):
            self.take(lease, new)

    def _remember(self, id: str, lease: str) -> None:
        known = self._held.pop(id, ())
        self._held[id] = known if lease in known else (*known, lease)
        while len(self._held) > MOST_HELD:
            self._held.popitem(last=False)

    @contextlib.asynccontextmanager
    async def connected(self, lease: str) -> AsyncIterator[None]:
        """Count a client as connected until the block ends."""
        self._connections[lease] += 1
        if ending := self._ending.pop(lease, None):
            ending.cancel()
        try:
            yield
        finally:
            self._connections[lease] -= 1
            if not self._connections[lease]:
                self._start_grace(lease)

    def _start_grace(self, lease: str) -> None:
        holds_any = any(lease in leases for leases in self._leases.values())
        if not holds_any:
            self._connections.pop(lease, None)
        elif lease not in self._ending and self._started:
            loop = asyncio.get_running_loop()
            self._ending[lease] = loop.call_later(self._grace, self._end, lease)

    def _end(self, lease: str) -> None:
        self._ending.pop(lease, None)
        self._connections.pop(lease, None)
        for id, leases in list(self._leases.items()):
            leases.discard(lease)
            if not leases:
                del self._leases[id]
                self._abandoned(id)

    def _forget_closed(self) -> None:
        for id in [id for id in self._leases if not self._is_open(id)]:
            del self._leases[id]
