"""Those outside who keep the signed checkpoints, so that whoever can write everything here is found out too.

A checkpoint covers all records before it: after a time of silence the newest one is enough.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from engine.common.text import Untrusted
from engine.history.chain.checkpoints import parse
from engine.history.errors import HistoryError, WitnessError
from engine.history.witness.git_witness import GitWitness
from engine.history.witness.http_witness import HttpWitness
from engine.models import Check
from engine.settings import HistorySettings

LOOK_SECONDS = 1.0
"""How often it is looked whether there is a newer checkpoint."""
MOST_SECONDS = 60.0
"""How long a witness that does not take it is left alone at most."""

Latest = Callable[[], Awaitable[str | None]]
Record = Callable[[str, str, str], Awaitable[Any]]
"""Records that a witness failed or took it again: the type of the event, the witness, and why."""


class WitnessBackend(Protocol):
    """A witness."""

    @property
    def name(self) -> str:
        """Return what it is called in Health."""

    @property
    def hint(self) -> str:
        """Return what to type where it does not take checkpoints."""

    async def take(self, note: str) -> None:
        """Keep a checkpoint. Raises Refused."""


@dataclass
class Witness:
    """How far one witness is."""

    backend: WitnessBackend
    taken: str = ""
    """The last checkpoint that it took."""
    why: str = ""
    """Why it does not take the next one; empty where all is well."""
    since: datetime | None = None
    pause: float = LOOK_SECONDS

    async def give(self, note: str) -> str | None:
        """Hand a checkpoint over, and return the type of the event where that has changed how it stands."""
        failed = bool(self.why)
        try:
            await self.backend.take(note)
        except Exception as error:  # whatever goes wrong out there, the engine goes on
            self.why = str(error) if isinstance(error, WitnessError) else f"{type(error).__name__}: {error}"
            self.pause = min(MOST_SECONDS, self.pause * 2)
            self.since = self.since or datetime.now(UTC)
            return None if failed else "witness.failed"
        self.taken, self.why, self.since, self.pause = note, "", None, LOOK_SECONDS
        return "witness.reached" if failed else None

    def check(self) -> Check:
        """Return its row of Health."""
        if self.why:
            since = f", since {self.since:%Y-%m-%d %H:%M} UTC" if self.since else ""
            detail = f"takes no checkpoints{since}: {self.why}"
            return Check(name=self.backend.name, ok=False, detail=Untrusted(detail), hint=self.backend.hint)
        note = parse(self.taken)
        detail = f"has the first {note.size:,} records" if note else "no checkpoint was made yet"
        return Check(name=self.backend.name, ok=True, detail=Untrusted(detail))


class Witnesses:
    """All that the settings name."""

    def __init__(self, settings: HistorySettings) -> None:
        seconds = settings.witness_deadline_seconds
        self._all: list[Witness] = []
        if settings.witness_url:
            self._all.append(Witness(HttpWitness(settings.witness_url, seconds)))
        if settings.witness_git:
            self._all.append(Witness(GitWitness(settings.witness_git, seconds)))

    def checks(self) -> Sequence[Check]:
        """Return their rows of Health."""
        return [witness.check() for witness in self._all]

    async def keep(self, latest: Latest, record: Record) -> None:
        """Hand each new checkpoint over, in no step's way. Ends when it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for witness in self._all:
                tasks.create_task(_keep(witness, latest, record))

    async def give(self, note: str) -> None:
        """Hand the last checkpoint of an engine over; the next engine does it where that fails."""
        async with asyncio.TaskGroup() as tasks:
            for witness in self._all:
                tasks.create_task(witness.give(note))


async def _keep(witness: Witness, latest: Latest, record: Record) -> None:
    while True:
        with contextlib.suppress(HistoryError):  # a disk that fails is told to whoever writes
            note = await latest()
            if note and note != witness.taken and (changed := await witness.give(note)):
                await record(changed, witness.backend.name, witness.why)
        await asyncio.sleep(witness.pause)
