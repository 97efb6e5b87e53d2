"""Watches Health: records which checks fail and recover, so that people away from the console are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.history.api import HistoryReader
from engine.models import Check, Health
from engine.models.history import MEMORY_ALERT

LOOK_SECONDS = 2.0
RUNS_SECONDS = 60.0
"""How often the runs of the last day are counted."""
FAILING_LOOKS = 2
"""A check that failed so many times in a row is recorded: one slow answer is no alert."""
MOST_NAMED = 60


class HealthWatch:
    """Looks at Health and records what changed; and has the row about runs that were killed for memory."""

    def __init__(
        self, events: EventBus, read: HistoryReader, health: Callable[[], Awaitable[Health]]
    ) -> None:
        self._events = events
        self._read = read
        self._health = health
        self._failing: dict[str, int] = {}
        self._told: set[str] = set()
        self._memory: tuple[Check, ...] = ()
        self._counted = float("-inf")

    def checks(self) -> tuple[Check, ...]:
        """Return the row about runs that were killed for memory, once they were counted."""
        return self._memory

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await self._count_runs()
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Look once: record each check that has failed twice in a row, and each that recovered."""
        checks = {check.name[:MOST_NAMED]: check for check in (await self._health()).checks}
        bad = {name: check for name, check in checks.items() if not check.ok}
        self._failing = {name: self._failing.get(name, 0) + 1 for name in bad}
        for name, check in bad.items():
            if self._failing[name] >= FAILING_LOOKS and name not in self._told:
                self._told.add(name)
                await self._record("health.failed", check)
        for name in [name for name in self._told if name not in bad]:
            self._told.discard(name)
            gone = Check(name=name, ok=True, detail=Untrusted("its row is gone"))
            await self._record("health.recovered", checks.get(name, gone))

    async def _record(self, type: str, check: Check) -> None:
        data = {"check": check.name, "detail": check.detail.text[:500], "hint": check.hint[:500]}
        await self._events.record_soon(type, data=data)

    async def _count_runs(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._counted >= RUNS_SECONDS:
            self._counted = now
            self._memory = (await memory_check(self._read),)


async def memory_check(read: HistoryReader) -> Check:
    """Return the row about the runs of the last day that were killed for memory."""
    runs, killed = await read.memory_kills(datetime.now(UTC) - timedelta(days=1))
    share = killed / runs if runs else 0.0
    detail = Untrusted(f"{share:.1%} of {runs:,} runs in the last day")
    hint = "pratique audit search 'kill:memory since:1d'" if share > MEMORY_ALERT else ""
    return Check(name="killed for memory", ok=not hint, detail=detail, hint=hint)
