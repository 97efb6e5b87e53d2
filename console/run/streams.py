"""Reads what runs say of themselves: the output of one, what each of them uses, and which are held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import aclosing
from datetime import datetime

from console.run.output import after
from console.run.usage import Usage
from engine.client.client import Client
from engine.models import Event, OutputChunk

MOST_WATCHED = 32
"""Runs whose meters are read at the same time."""


class Meterings:
    """What each of the runs used in the last minute."""

    def __init__(self) -> None:
        self.of: dict[str, Usage] = {}
        self._reading: set[str] = set()

    def wanted(self, running: Iterable[str]) -> list[str]:
        """Return the runs whose meters are not read yet but should be; forget those that are over."""
        runs = list(running)[:MOST_WATCHED]
        for id in set(self.of) - set(runs) - self._reading:
            del self.of[id]
        return [id for id in runs if id not in self._reading]

    async def read(self, client: Client, id: str) -> None:
        """Read the meters of a run until it is over."""
        usage = self.of.setdefault(id, Usage())
        self._reading.add(id)
        try:
            async with aclosing(client.meters(id)) as samples:
                async for sample in samples:
                    usage.take(sample)
        finally:
            self._reading.discard(id)


class Following:
    """The output of one run, from wherever the last reader left off."""

    def __init__(self, id: str, take: Callable[[OutputChunk], None]) -> None:
        self.id = id
        self.over = False
        """Whether everything was read."""
        self._take = take
        self._offset = 0

    async def read(self, client: Client) -> bool:
        """Read what is new until the run is over; True then. After a lost engine it can be called again."""
        async with aclosing(client.output(self.id, self._offset)) as chunks:
            async for chunk in chunks:
                fresh = after(chunk, self._offset)
                if fresh is not None:
                    self._offset = fresh.offset + len(fresh.data)
                    self._take(fresh)
                    await asyncio.sleep(0)
        self.over = True
        return True


class LeaseStatus:
    """The runs that are frozen, as the engine's events tell, and for how long each was."""

    def __init__(self) -> None:
        self._since: dict[str, datetime] = {}
        self._before: dict[str, float] = {}

    def __contains__(self, id: object) -> bool:
        """Say whether a run is frozen now."""
        return id in self._since

    def happened(self, event: Event) -> None:
        """Take an event in."""
        if event.type == "run.pause":
            self.hold(event.subject, event.at)
        elif event.type == "run.resume":
            self.go_on(event.subject, event.at)
        elif event.type == "run.ended":
            self._since.pop(event.subject, None)
            self._before.pop(event.subject, None)

    def recall(self, id: str, events: Iterable[Event]) -> None:
        """Take in all that happened to a run so far: it may have been held before anybody listened here."""
        self._since.pop(id, None)
        self._before.pop(id, None)
        for event in events:
            self.happened(event)

    def hold(self, id: str, at: datetime) -> None:
        """Take a run to be frozen from now on, where it is not already."""
        self._since.setdefault(id, at)

    def go_on(self, id: str, at: datetime) -> None:
        """Take a run to go on."""
        if id in self._since:
            self._before[id] = self.seconds(id, at)
            del self._since[id]

    def seconds(self, id: str, until: datetime) -> float:
        """Return for how many seconds a run was frozen, those until now among them."""
        since = self._since.get(id, until)
        return self._before.get(id, 0.0) + max(0.0, (until - since).total_seconds())
