"""Idempotency keys of the last 24 hours, read from the history after a start."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.core.history.event_bus import EventBus
from engine.models import Event, Principal

KEPT = timedelta(hours=24)
PAGE = 1000
FIELD = "key"
"""Where an event's data carries the hash of the key that its submission came with."""
KEYED = frozenset({"submission.created", "submission.joined"})
"""The events that bind a key to a submission."""


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """The submission of a key, and the digest of its request."""

    id: str
    digest: str
    at: datetime


def key_hash(requester: Principal, key: str) -> str:
    """Return the hash that is stored for a requester's key; it is different for each requester."""
    name = requester.identity.encode()
    return hashlib.sha256(b"%d:%b%b" % (len(name), name, key.encode())).hexdigest()


class IdempotencyKeys:
    """The keys of the last 24 hours."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._made: dict[str, KeyBinding] = {}
        self._read = False
        self._reading = asyncio.Lock()

    async def find(self, hashed: str) -> KeyBinding | None:
        """Return what a key made, unless that is more than 24 hours ago."""
        async with self._reading:
            if not self._read:
                await self._read_back()
                self._read = True
        made = self._made.get(hashed)
        return made if made is not None and made.at > _now() - KEPT else None

    def remember(self, hashed: str, id: str, digest: str) -> None:
        """Bind a key to a submission, and forget those whose day is over."""
        self._made[hashed] = KeyBinding(id, digest, _now())
        horizon = _now() - KEPT
        while (oldest := next(iter(self._made))) and self._made[oldest].at <= horizon:
            del self._made[oldest]

    def replay(self, event: Event) -> None:
        """Take the record of another engine into account."""
        self._take(event)

    async def _read_back(self) -> None:
        """Read the history from its end, page by page, as far as its last day reaches."""
        end = self._events.latest
        pages: list[tuple[Event, ...]] = []
        while end > 0:
            page = await self._events.log.read.events(since=max(0, end - PAGE), limit=min(PAGE, end))
            pages.append(page)
            if not page or page[0].at <= _now() - KEPT:
                break
            end = page[0].seq - 1
        for page in reversed(pages):
            for event in page:
                self._take(event)

    def _take(self, event: Event) -> None:
        hashed = event.data.get(FIELD)
        if event.type in KEYED and isinstance(hashed, str):
            request_digest = event.data.get("original_digest") or event.data.get("digest")
            self._made[hashed] = KeyBinding(event.subject, str(request_digest), event.at)


def _now() -> datetime:
    return datetime.now(UTC)
