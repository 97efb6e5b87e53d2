"""Witnesses keep the signed checkpoints elsewhere, so that even who can write all files here is found out.

A checkpoint covers all records before it, so after an outage the newest one is enough.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from engine.common.text import Untrusted
from engine.history.chain.checkpoints import parse
from engine.history.errors import HistoryError, WitnessError
from engine.history.witness.git_witness import GitWitness
from engine.models import Check
from engine.settings import HistorySettings

POLL_SECONDS = 1.0
"""How often to look for a newer checkpoint."""
LOOK_SECONDS = 2.0
"""How often to look, between checkpoints, whether a witness is in reach."""
MOST_SECONDS = 60.0
"""The longest pause before a failing witness is tried again."""

Latest = Callable[[], Awaitable[str | None]]
Record = Callable[[str, str, str], Awaitable[Any]]
"""Records that a witness failed or recovered: the type of the event, the witness, and the error."""


class WitnessBackend(Protocol):
    """Where checkpoints are published."""

    @property
    def name(self) -> str:
        """Return its name in Health."""

    @property
    def hint(self) -> str:
        """Return what to type when it fails."""

    async def publish(self, note: str) -> None:
        """Publish a checkpoint. Raises WitnessError."""

    async def look(self) -> None:
        """Find out whether it is in reach, and publish nothing. Raises WitnessError."""


@dataclass
class Witness:
    """The state of one witness."""

    backend: WitnessBackend
    published: str = ""
    """The last checkpoint that it accepted."""
    error: str = ""
    """Why the last attempt failed; empty if it succeeded."""
    since: datetime | None = None
    pause: float = POLL_SECONDS

    async def publish(self, note: str) -> str | None:
        """Publish a checkpoint; return the type of the event if its state changed."""
        changed = await self._attempt(self.backend.publish(note))
        if not self.error:
            self.published = note
        return changed

    async def look(self) -> str | None:
        """Find out whether it is in reach; return the type of the event if its state changed."""
        return await self._attempt(self.backend.look())

    async def _attempt(self, attempt: Awaitable[None]) -> str | None:
        failed = bool(self.error)
        try:
            await attempt
        except Exception as error:  # whatever goes wrong out there, the engine goes on
            self.error = str(error) if isinstance(error, WitnessError) else f"{type(error).__name__}: {error}"
            self.pause = min(MOST_SECONDS, self.pause * 2)
            self.since = self.since or datetime.now(UTC)
            return None if failed else "witness.failed"
        self.error, self.since, self.pause = "", None, POLL_SECONDS
        return "witness.reached" if failed else None

    def check(self) -> Check:
        """Return its row of Health."""
        if self.error:
            since = f", since {self.since:%Y-%m-%d %H:%M} UTC" if self.since else ""
            detail = f"takes no checkpoints{since}: {self.error}"
            return Check(name=self.backend.name, ok=False, detail=Untrusted(detail), hint=self.backend.hint)
        note = parse(self.published)
        detail = f"has the first {note.size:,} records" if note else "no checkpoint was made yet"
        return Check(name=self.backend.name, ok=True, detail=Untrusted(detail))


class Witnesses:
    """The witnesses in the settings."""

    def __init__(self, settings: HistorySettings) -> None:
        seconds = settings.witness_deadline_seconds
        self._all: list[Witness] = []
        if settings.witness_url:
            from engine.history.witness.http_witness import HttpWitness  # noqa: PLC0415  httpx takes its time

            self._all.append(Witness(HttpWitness(settings.witness_url, seconds)))
        if settings.witness_git:
            self._all.append(Witness(GitWitness(settings.witness_git, seconds)))

    def checks(self) -> Sequence[Check]:
        """Return their rows of Health."""
        return [witness.check() for witness in self._all]

    async def run(self, latest: Latest, record: Record) -> None:
        """Publish each new checkpoint, in the background, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for witness in self._all:
                tasks.create_task(_publish_new(witness, latest, record))

    async def publish(self, note: str) -> None:
        """Publish the last checkpoint of an engine; if that fails, the next engine does it."""
        async with asyncio.TaskGroup() as tasks:
            for witness in self._all:
                tasks.create_task(witness.publish(note))


async def _publish_new(witness: Witness, latest: Latest, record: Record) -> None:
    looked = time.monotonic()
    while True:
        changed = None
        with contextlib.suppress(HistoryError):  # the next write gets the error of the disk
            note = await latest()
            if note and note != witness.published:
                changed = await witness.publish(note)
            elif time.monotonic() - looked >= LOOK_SECONDS:
                changed, looked = await witness.look(), time.monotonic()
            if changed:
                await record(changed, witness.backend.name, witness.error)
        await asyncio.sleep(witness.pause)
