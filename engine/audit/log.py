"""The history: every step is an event on disk before it is answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from engine.audit import cases, chain, queries, witness
from engine.audit.blocks import MeterBlock
from engine.audit.errors import AuditError
from engine.audit.exports.casefile import case_file
from engine.audit.facets import facets as count
from engine.audit.filter import Term, parse
from engine.audit.ledger import ENGINE, Entry, Ledger
from engine.audit.reader import Reader
from engine.audit.retention import erase_some
from engine.audit.trends import trends
from engine.audit.types import check
from engine.audit.verify import verify
from engine.audit.writer import Writer, witness_file
from engine.models import Artifact, Case, Event, Facets, Meters, OutputChunk, Summary, Trends, Verification
from engine.settings import AuditSettings
from engine.text import Untrusted

STATE = "case_sha256"
"""Where an event's data carries the digest of the case as it stood after it."""
LARGE = 1 << 18
"""Bytes of input files from which a case is made ready in a thread."""


class AuditLog:
    """The history of one engine, in one SQLite file that no second engine writes."""

    def __init__(self, path: Path, settings: AuditSettings, writer: Writer, reader: Reader) -> None:
        self._path = path
        self._settings = settings
        self._writer = writer
        self._reader = reader

    @classmethod
    async def open(cls, path: Path, settings: AuditSettings) -> Self:
        """Open the history at `path`, and make it where there is none.

        Raises:
            AuditError: it is damaged, from a newer version, unwritable, or in use by another engine.
        """
        writer = await asyncio.to_thread(Writer, path, settings, asyncio.get_running_loop())
        return cls(path, settings, writer, Reader(path, settings.read_deadline_seconds))

    async def close(self) -> None:
        """Write what waits and let go of the file."""
        await asyncio.to_thread(self._reader.close)
        await asyncio.to_thread(self._writer.close)

    async def append(
        self,
        type: str,
        subject: str,
        actor: Untrusted,
        data: dict[str, Any],
        *,
        case: Case | None = None,
        durable: bool = True,
    ) -> Event:
        """Record an event, with the case as it stands after it; on return both are on disk where `durable`.

        Raises:
            AuditError: the data is not what its type asks for, or it could not be written. Nothing was
                recorded then, except that a disk that is too slow may still record it later.
        """
        frozen = await _freeze(case) if case else None
        text = _text(type, data, frozen)

        def work(ledger: Ledger) -> chain.Record:
            return ledger.append(type, subject, actor.text, text, frozen)

        return chain.event_of(await self._writer.do(work, durable=durable))

    async def append_many(self, events: Iterable[tuple[str, str, Untrusted, dict[str, Any]]]) -> int:
        """Record events, each a type, subject, actor and data, in one go; return the number of the last.

        On return all are on disk.

        Raises:
            AuditError: the data of one is not what its type asks for, or they could not be written. None
                was recorded then.
        """
        at = chain.stamp(datetime.now(UTC))
        entries = [
            Entry(at, type, subject, actor.text, _text(type, data)) for type, subject, actor, data in events
        ]
        return await self._writer.do(lambda ledger: ledger.append_many(entries))

    async def output(self, run: str, chunks: Sequence[OutputChunk]) -> None:
        """Keep output of a run; it is on disk within `batch_milliseconds`, and before the run's next event.

        Raises:
            AuditError: it could not be written.
        """
        kept = [chunk for chunk in chunks if chunk.data]
        if kept:
            await self._writer.do(lambda ledger: ledger.hold(run, kept), durable=False)

    async def meters(self, run: str, samples: Sequence[Meters]) -> None:
        """Keep samples of a run; they are on disk within `batch_milliseconds`.

        Raises:
            AuditError: they could not be written.
        """
        if samples:
            data = MeterBlock(samples=tuple(samples)).model_dump(mode="json")
            await self.append("meters", run, Untrusted(ENGINE), data, durable=False)

    async def keep(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Keep a file that a run left; it is on disk before the run's next event.

        Raises:
            AuditError: it could not be written.
        """
        data = _text("artifact", artifact.model_dump(mode="json"))
        digest = artifact.digest
        await self._writer.do(lambda ledger: ledger.keep(run, data, content, digest), durable=False)

    async def artifact(self, run: str, name: str) -> bytes | None:
        """Return a file that a run left, by its name or digest; None where retention has erased it.

        Raises:
            KeyError: it left none.
        """
        return await self._reader.do(lambda connection: queries.artifact(connection, run, name))

    async def case(self, id: str) -> Case | None:
        """Return the case with this id, code and files included, or None."""
        return await self._reader.do(lambda connection: queries.case(connection, id))

    async def open_cases(self) -> tuple[Case, ...]:
        """Return the cases that are waiting, queued or running, the oldest first."""
        return await self._reader.do(queries.open_cases)

    async def summaries(
        self,
        filter: str = "",
        before: str | None = None,
        limit: int = 200,
        *,
        requester: str | None = None,
    ) -> tuple[Summary, ...]:
        """Return a line for each case that `filter` lets through and that is older than the id `before`.

        With `requester` only those come that this principal asked for.
        """
        terms = parse(filter, datetime.now(UTC))
        if requester is not None:
            terms += (Term("requester", "is", (requester,)),)
        return await self._reader.do(lambda connection: queries.summaries(connection, terms, before, limit))

    async def facets(self, filter: str = "") -> Facets:
        """Count the cases that `filter` lets through, by risk, status, kill, language, day and requester.

        Raises:
            AuditError: the filter cannot be understood, or counting took too long.
        """
        terms = parse(filter, datetime.now(UTC))
        return await self._reader.do(lambda connection: count(connection, terms))

    async def trends(self, since: datetime) -> Trends:
        """Return figures about the cases submitted from `since` on: kills, times to decide, who asks most."""
        return await self._reader.do(lambda connection: trends(connection, chain.stamp(since)))

    async def events(
        self, since: int = 0, subject: str | None = None, limit: int = 1000
    ) -> tuple[Event, ...]:
        """Return the events after number `since`, in order: all of them, or those of one subject."""
        return await self._reader.do(lambda connection: queries.events(connection, since, subject, limit))

    async def read_output(self, run: str, offset: int = 0, limit: int = 1 << 20) -> tuple[OutputChunk, ...]:
        """Return the output of a run from byte `offset` on, at most `limit` bytes."""
        return await self._reader.do(lambda connection: queries.output(connection, run, offset, limit))

    async def read_meters(self, run: str) -> tuple[Meters, ...]:
        """Return all samples of a run."""
        return await self._reader.do(lambda connection: queries.meters(connection, run))

    async def retain(self) -> int:
        """Erase the code, files and output that the settings do not keep, and return how many there were.

        Raises:
            AuditError: it could not be recorded; nothing was erased then.
        """
        if self._settings.retain_days is None and self._settings.retain_mb is None:
            return 0
        erased = 0
        while some := await self._writer.do(
            lambda ledger: erase_some(ledger, self._settings, datetime.now(UTC))
        ):
            erased += some
        return erased

    async def case_file(self, id: str) -> bytes:
        """Return a zip that proves to anybody, with Python alone, what happened to a submission.

        Raises:
            AuditError: there is no such submission, or something of it was erased.
        """
        key = self._writer.key
        return await self._reader.do(lambda connection: case_file(connection, id, key))

    async def verify(
        self, progress: Callable[[int, int], None] | None = None, *, resume: bool = False
    ) -> Verification:
        """Read the whole history: it is as it was written, or this is the first record that is not.

        With `resume` only what came after the last checkpoint is read. `progress` is called in the event
        loop with the records read and all there are.
        """
        loop = asyncio.get_running_loop()

        wanted = threading.Event()
        wanted.set()

        def tell(done: int, total: int) -> None:
            if not wanted.is_set() or self._reader.closing:
                raise AuditError("Nobody waits for the reading any more")
            if progress:
                loop.call_soon_threadsafe(progress, done, total)

        key = self._writer.key.public_key()
        notes = await asyncio.to_thread(witness.notes, witness_file(self._path))
        try:
            return await self._reader.do(
                lambda connection: verify(connection, notes, key, tell, resume=resume), seconds=float("inf")
            )
        finally:
            wanted.clear()


def _text(type: str, data: dict[str, Any], case: cases.Frozen | None = None) -> str:
    """Return the data of an event as it is written, with the digest of the case as it stands after it."""
    version = check(type, data)
    more: dict[str, Any] = {} if version == 1 else {"v": version}
    if case:
        more[STATE] = case.sha256
    return chain.canonical_data({**data, **more} if more else data)


async def _freeze(case: Case) -> cases.Frozen:
    if sum(len(file.content) for file in case.submission.draft.files) < LARGE:
        return cases.freeze(case)
    return await asyncio.to_thread(cases.freeze, case)
