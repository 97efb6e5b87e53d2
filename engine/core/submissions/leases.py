"""Holders: clients that stay connected while they want what they submitted."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

from engine.common.errors import Problem
from engine.core.submissions.active import ActiveSubmissions
from engine.models import Case, Status

Withdraw = Callable[[Case], Awaitable[object]]


class ClientLeases:
    """Who is connected. What only clients want that are gone is withdrawn after a grace, unless approved."""

    def __init__(
        self, active: ActiveSubmissions, tasks: asyncio.TaskGroup, grace_seconds: float, withdraw: Withdraw
    ) -> None:
        self._active = active
        self._tasks = tasks
        self._grace = grace_seconds
        self._withdraw = withdraw
        self._present: Counter[str] = Counter()
        self._wanted: dict[str, set[str]] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}

    def take(self, lease: str, id: str) -> None:
        """Note that a client wants a submission; a client that is not there has the grace to come."""
        self._forget_closed()
        self._wanted.setdefault(id, set()).add(lease)
        if not self._present[lease]:
            self._starts_leaving(lease)

    @contextlib.asynccontextmanager
    async def present(self, lease: str) -> AsyncIterator[None]:
        """Count a client as there until the block ends."""
        self._present[lease] += 1
        if leaving := self._leaving.pop(lease, None):
            leaving.cancel()
        try:
            yield
        finally:
            self._present[lease] -= 1
            if not self._present[lease]:
                self._starts_leaving(lease)

    def close(self) -> None:
        """Stop to look after anything: the engine ends, and what waits is kept."""
        self._grace = float("inf")
        for task in self._leaving.values():
            task.cancel()
        self._leaving.clear()

    def _starts_leaving(self, lease: str) -> None:
        wants = any(lease in leases for leases in self._wanted.values())
        if wants and lease not in self._leaving and self._grace != float("inf"):
            self._leaving[lease] = self._tasks.create_task(self._leave(lease))
        elif not wants:
            self._present.pop(lease, None)

    async def _leave(self, lease: str) -> None:
        await asyncio.sleep(self._grace)
        self._leaving.pop(lease, None)
        self._present.pop(lease, None)
        for id, leases in list(self._wanted.items()):
            leases.discard(lease)
            if not leases:
                del self._wanted[id]
                await self._let_go(id)

    async def _let_go(self, id: str) -> None:
        entry = self._active.find(id)
        if entry and entry.case.status is Status.PENDING:
            with contextlib.suppress(Problem):
                await self._withdraw(entry.case)

    def _forget_closed(self) -> None:
        for id in [id for id in self._wanted if self._active.find(id) is None]:
            del self._wanted[id]
