"""Client leases: a submission is abandoned once no client that leased it is connected any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Protocol

from engine.core.queue.api import ActiveSubmission


class LeasedQueue(Protocol):
    """The part of a queue that leases need."""

    def find(self, id: str) -> ActiveSubmission | None:
        """Return the open submission of that id, or None."""

    async def abandon(self, id: str) -> None:
        """Report a submission whose last lease has ended."""


class ClientLeases:
    """Which clients are connected, and which submissions they hold. A client that is gone has a grace."""

    def __init__(self, queue: LeasedQueue, grace_seconds: float) -> None:
        self._queue = queue
        self._grace = grace_seconds
        self._connections: Counter[str] = Counter()
        self._leases: dict[str, set[str]] = {}
        self._ending: dict[str, asyncio.Task[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Let leases end from now on."""
        self._tasks = tasks

    def stop(self) -> None:
        """Let no lease end any more."""
        self._tasks = None
        for task in self._ending.values():
            task.cancel()
        self._ending.clear()

    def take(self, lease: str, id: str) -> None:
        """Bind a submission to a client; one that is not connected has the grace to connect."""
        self._forget_closed()
        self._leases.setdefault(id, set()).add(lease)
        if not self._connections[lease]:
            self._start_grace(lease)

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
        elif lease not in self._ending and self._tasks is not None:
            self._ending[lease] = self._tasks.create_task(self._end(lease))

    async def _end(self, lease: str) -> None:
        await asyncio.sleep(self._grace)
        self._ending.pop(lease, None)
        self._connections.pop(lease, None)
        for id, leases in list(self._leases.items()):
            leases.discard(lease)
            if not leases:
                del self._leases[id]
                await self._queue.abandon(id)

    def _forget_closed(self) -> None:
        for id in [id for id in self._leases if self._queue.find(id) is None]:
            del self._leases[id]
