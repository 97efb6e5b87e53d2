"""The event bus: records events in the history, and wakes their followers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from engine.common.text import Untrusted
from engine.core.queue.api import WorkQueue
from engine.history.api import HistoryStore
from engine.models import Case, Event

ENGINE = Untrusted("engine")
"""The actor of what the engine does by itself: deadlines, sandboxes, recovery."""
PAGE_EVENTS = 16
"""How many events are read for a follower at once: a follower that does not read holds so many."""


class EventBus:
    """Records events and wakes their followers."""

    def __init__(self, log: HistoryStore, queue: WorkQueue) -> None:
        self.log = log
        self._queue = queue
        self._latest = 0
        self._listeners: list[Callable[[Event], None]] = []

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with each event once it is recorded."""
        self._listeners.append(listener)

    @property
    def latest(self) -> int:
        """The number of the last event that was recorded."""
        return self._latest

    async def record(
        self,
        type: str,
        subject: str = "",
        actor: Untrusted = ENGINE,
        *,
        data: dict[str, Any] | None = None,
        case: Case | None = None,
        durable: bool = True,
    ) -> Event:
        """Append an event, with the case in its state after it; on return it is on disk where `durable`."""
        event = await self.log.append(type, subject, actor, data or {}, case=case, durable=durable)
        self._latest = max(self._latest, event.seq)
        self._queue.announce(event.seq)
        for listener in self._listeners:
            listener(event)
        return event

    async def witness(self, type: str, witness: str, why: str) -> None:
        """Record that a witness takes no checkpoints, or takes them again."""
        await self.record(type, data={"witness": witness, "why": why})

    async def follow(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield the events after `since`, or from now on, for as long as the reader wants."""
        seen = self._latest if since is None else since
        while True:
            events = await self.log.read.events(since=seen, limit=PAGE_EVENTS)
            for event in events:
                seen = event.seq
                yield event
            if not events:
                await self._queue.wait_for_event(seen)
