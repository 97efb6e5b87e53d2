"""Streams from the engine: the output of one run, the meters of all that run, and which are paused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import aclosing
from datetime import datetime

from console.run.output import after
from console.run.usage import UsageHistory
from engine.client.client import Client
from engine.models import Event, OutputChunk

MOST_WATCHED = 32
"""Runs whose meters are read at the same time."""


class MeterStreams:
    """Reads the meters of the running runs."""

    def __init__(self) -> None:
        self.usage: dict[str, UsageHistory] = {}
        self._reading: set[str] = set()

    def missing(self, running: Iterable[str]) -> list[str]:
        """Return the running runs whose meters are not read yet; drop those that ended."""
        runs = list(running)[:MOST_WATCHED]
        for id in set(self.usage) - set(runs) - self._reading:
            del self.usage[id]
        return [id for id in runs if id not in self._reading]

    async def read(self, client: Client, id: str) -> None:
        """Read the meters of a run until it ends."""
        usage = self.usage.setdefault(id, UsageHistory())
        self._reading.add(id)
        try:
            async with aclosing(client.meters(id)) as samples:
                async for sample in samples:
                    usage.take(sample)
        finally:
            self._reading.discard(id)


class OutputReader:
    """Reads the output of one run; after a lost connection it continues where it stopped."""

    def __init__(self, id: str, take: Callable[[OutputChunk], None]) -> None:
        self.id = id
        self.finished = False
        """Whether all output was read."""
        self._take = take
        self._offset = 0

    async def read(self, client: Client) -> bool:
        """Read new output until the run ends, and return True; it can be called again after an error."""
        async with aclosing(client.output(self.id, self._offset)) as chunks:
            async for chunk in chunks:
                fresh = after(chunk, self._offset)
                if fresh is not None:
                    self._offset = fresh.offset + len(fresh.data)
                    self._take(fresh)
                    await asyncio.sleep(0)
        self.finished = True
        return True


class PausedRuns:
    """The paused runs, from the engine's events, and how long each was paused."""

    def __init__(self) -> None:
        self._since: dict[str, datetime] = {}
        self._before: dict[str, float] = {}

    def __contains__(self, id: object) -> bool:
        """Return whether a run is paused now."""
        return id in self._since

    def handle(self, event: Event) -> None:
        """Update from one event."""
        if event.type == "run.pause":
            self.pause(event.subject, event.at)
        elif event.type == "run.resume":
            self.resume(event.subject, event.at)
        elif event.type == "run.ended":
            self._since.pop(event.subject, None)
            self._before.pop(event.subject, None)

    def reload(self, id: str, events: Iterable[Event]) -> None:
        """Rebuild the state of a run from all of its events: it may have been paused before we listened."""
        self._since.pop(id, None)
        self._before.pop(id, None)
        for event in events:
            self.handle(event)

    def pause(self, id: str, at: datetime) -> None:
        """Mark a run as paused since `at`, unless it already is."""
        self._since.setdefault(id, at)

    def resume(self, id: str, at: datetime) -> None:
        """Mark a run as resumed at `at`."""
        if id in self._since:
            self._before[id] = self.seconds(id, at)
            del self._since[id]

    def seconds(self, id: str, until: datetime) -> float:
        """Return how many seconds a run was paused up to `until`."""
        since = self._since.get(id, until)
        return self._before.get(id, 0.0) + max(0.0, (until - since).total_seconds())
