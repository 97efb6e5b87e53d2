"""What notifications need of an engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Any, Protocol

from engine.models import Case, Event


class NoticeSource(Protocol):
    """The open submissions, the events, and a place to record what was told."""

    @property
    def latest(self) -> int:
        """The number of the last event."""

    def pending(self) -> Iterable[Case]:
        """Return what waits for a decision."""

    def waiting(self, id: str) -> Case | None:
        """Return a submission if it waits for a decision."""

    def follow(self, since: int) -> AsyncGenerator[Event, None]:
        """Yield the events after one, then those that happen."""

    async def record(self, type: str, data: dict[str, Any]) -> None:
        """Record what became of a notice."""

    def wake(self, changed: asyncio.Event) -> None:
        """Set `changed` whenever something is recorded."""
