"""Keeps the queue of the console up to date: after an event only what it is about is fetched."""

from __future__ import annotations

import asyncio
from bisect import insort
from typing import TYPE_CHECKING

from engine.common.queue_order import queue_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.client.client import Client
    from engine.models import Event, QueueEntry

ALL_SECONDS = 30.0
"""After this long without a change all of the queue is fetched again: claims lapse without an event."""
MOST_SINGLE = 100
"""Where more submissions changed, all of the queue is fetched."""
Entries = dict[str, "QueueEntry"]
"""The queue by ID, in its order."""


class QueueUpdates:
    """Collects which submissions changed, and fetches them."""

    def __init__(self) -> None:
        self._changed: set[str] = set()
        self._whole = True
        self._wake = asyncio.Event()

    def note(self, event: Event) -> None:
        """Note what an event is about; one about no submission may change all of the queue."""
        self._changed.add(event.subject)
        self._whole = self._whole or event.type.startswith("policy.")
        self._wake.set()

    async def wait(self) -> None:
        """Wait until something changed, or all of the queue is due again."""
        try:
            async with asyncio.timeout(ALL_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            self._whole = True

    async def load(self, client: Client, known: Entries) -> Entries:
        """Return the queue as it is now: `known` itself where nothing in it changed.

        Raises:
            Problem: the engine does not answer.
        """
        changed, whole = tuple(self._changed), self._whole or len(self._changed) > MOST_SINGLE
        self._changed, self._whole = set(), False
        self._wake.clear()
        if whole:
            return {each.summary.id: each for each in await client.reviews.queue()}
        found = {each.summary.id: each for each in await client.reviews.queue(changed)} if changed else {}
        return merged(known, changed, found)


def merged(known: Entries, changed: tuple[str, ...], found: Entries) -> Entries:
    """Return the queue with what was found of what changed, in its order; the rest of that is over."""
    if all(known.get(id) == found.get(id) for id in changed):
        return known
    entries = {id: entry for id, entry in known.items() if id not in changed}
    return _inserted(entries, found.values()) if found else entries


def _inserted(entries: Entries, found: Iterable[QueueEntry]) -> Entries:
    """Return the queue with further entries, each in its place."""
    listed = list(entries.values())
    for entry in found:
        insort(listed, entry, key=queue_order)
    return {entry.summary.id: entry for entry in listed}
