"""The history: every step is an event on disk before it is answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from engine.common.text import Untrusted
from engine.history.chain import chain
from engine.history.chain.checkpoints import parse
from engine.history.errors import HistoryError
from engine.history.events.blocks import MeterBlock
from engine.history.events.types import check
from engine.history.exports.case_file import case_file
from engine.history.store.sqlite import cases, queries
from engine.history.store.sqlite.ledger import ENGINE, Entry, Ledger
from engine.history.store.sqlite.read_api import Questions
from engine.history.store.sqlite.reader import Reader
from engine.history.store.sqlite.retention import erase_some
from engine.history.store.sqlite.writer import Writer, witness_file
from engine.history.verify.payloads import STATE
from engine.history.verify.verifier import Tell, verify
from engine.history.witness import checkpoint_file
from engine.models import Artifact, Case, Event, Meters, OutputChunk, Verification
from engine.settings import HistorySettings

LARGE = 1 << 18
"""Bytes of input files from which a case is made ready in a thread."""


class AuditLog(Questions):
    """The history of one engine, in one SQLite file that no second engine writes."""

    def __init__(self, path: Path, settings: HistorySettings, writer: Writer, reader: Reader) -> None:
        super().__init__(reader)
        self._path = path
        self._settings = settings
        self._writer = writer

    @classmethod
    async def open(cls, path: Path, settings: HistorySettings) -> Self:
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
            await self.append("run.meters", run, Untrusted(ENGINE), data, durable=False)

    async def keep(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Keep a file that a run left; it is on disk before the run's next event.

        Raises:
            AuditError: it could not be written.
        """
        data = _text("run.artifact", artifact.model_dump(mode="json"))
        digest = artifact.digest
        await self._writer.do(lambda ledger: ledger.keep(run, data, content, digest), durable=False)

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

    async def latest_checkpoint(self) -> str | None:
        """Return the last signed note, or None where none was made yet."""
        return await self._reader.do(queries.latest_checkpoint)

    async def verify(
        self,
        progress: Tell | None = None,
        *,
        resume: bool = False,
        witnessed: Sequence[str] = (),
    ) -> Verification:
        """Read the whole history: it is as it was written, or this is the first record that is not.

        With `resume` only what came after the last checkpoint is read. `witnessed` are checkpoints that
        somebody outside has kept. `progress` is called in the event loop with the records read and all there
        are.
        """
        loop = asyncio.get_running_loop()
        wanted = threading.Event()
        wanted.set()

        def tell(done: int, total: int) -> None:
            if not wanted.is_set() or self._reader.closing:
                raise HistoryError("Nobody waits for the reading any more")
            if progress:
                loop.call_soon_threadsafe(progress, done, total)

        key = self._writer.key.public_key()
        notes = await asyncio.to_thread(checkpoint_file.notes, witness_file(self._path))
        outside = [parse(note) for note in witnessed]
        try:
            return await self._reader.do(
                lambda connection: verify(connection, notes, key, tell, resume=resume, outside=outside),
                seconds=float("inf"),
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
