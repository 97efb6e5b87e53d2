"""The history: every step is an event on disk before it is answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from engine.common.text import Untrusted
from engine.history.api import Engines, Once, ProgressCallback
from engine.history.chain import chain
from engine.history.chain.checkpoints import parse
from engine.history.chain.heads import parse_head
from engine.history.errors import HistoryError, KeyTakenError
from engine.history.events.blocks import MeterBlock
from engine.history.events.types import validate
from engine.history.store.credible_clock import CredibleClock
from engine.history.store.sql import cases
from engine.history.store.sql.case_file import case_file, sealed_file
from engine.history.store.sql.connection import SqlDatabase
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.erasing.case import erase_case
from engine.history.store.sql.erasing.compaction import compact, merge_some
from engine.history.store.sql.erasing.retention import erase_some
from engine.history.store.sql.health import contradiction_check, witness_check
from engine.history.store.sql.ledger import ENGINE, Ledger, NewRecord
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sql.writer import Writer, checkpoints_of
from engine.history.verify.checkpoint_check import Witnessed
from engine.history.verify.stored_data import STATE
from engine.history.verify.verifier import verify
from engine.history.witness import checkpoint_file
from engine.history.witness.git_witness import FILE
from engine.history.witness.witness_file import WitnessFile
from engine.models import Artifact, Case, Check, Event, Meters, OutputChunk, Verification
from engine.models.erasing.erasure import Erased, ErasureOrder
from engine.settings import HistorySettings

LARGE = 1 << 18
"""Bytes of input files from which a case is made ready in a thread."""
SETTLED_SECONDS = 0.5
"""After a checkpoint is in the database, the file of checkpoints has it by then."""


class SqlHistoryStore:
    """The history of one engine in an SQL database. Implements HistoryStore."""

    def __init__(
        self,
        database: SqlDatabase,
        settings: HistorySettings,
        writer: Writer,
        witness: WitnessFile | None = None,
    ) -> None:
        self._database = database
        self._settings = settings
        self._writer = writer
        self._connections = ConnectionPool(database, settings.read_deadline_seconds)
        self._witness = witness
        self._read = SqlHistoryReader(self._connections)
        self._clock = CredibleClock()

    @classmethod
    async def start(
        cls, database: SqlDatabase, settings: HistorySettings, witness: Path | None = None
    ) -> Self:
        """Open the history in a database, and create it if there is none.

        The newest signed head is kept in the file `witness` too.

        Raises:
            HistoryError: it is damaged, of another format, unwritable, or in use by another engine.
        """
        file = WitnessFile(witness) if witness else None
        writer = await asyncio.to_thread(Writer, database, settings, asyncio.get_running_loop(), file)
        return cls(database, settings, writer, file)

    @property
    def engines(self) -> Engines | None:
        """The engines that write it at the same time; None where one writes alone."""
        return None

    @property
    def read(self) -> SqlHistoryReader:
        """Return what reads this history."""
        return self._read

    async def close(self) -> None:
        """Write what is waiting, and release the file."""
        await asyncio.to_thread(self._connections.close)
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
        patient: bool = False,
        once: Once | None = None,
    ) -> Event:
        """Append an event, with the case in its state after it; if `durable`, both are on disk on return.

        A `patient` caller waits for a disk that hangs, however long that takes.

        Raises:
            HistoryError: the data does not fit the type, or it could not be written. Nothing was recorded,
                except that a disk that is too slow may still record it later: `once` tells attempts apart
                from further records.
            SupersededError: the case, or else the subject, has had a record since the one that `once` names.
        """
        encoded = await _encode(case) if case else None
        text = _text(type, data, encoded)

        def work(ledger: Ledger) -> chain.Record:
            if type == "submission.created" and "key" in data:
                _bind_key(ledger, str(data["key"]), subject)
            return ledger.append(type, subject, actor.text, text, encoded, once.after if once else None)

        return chain.event_of(await self._writer.do(work, durable=durable, patient=patient, once=once))

    async def append_many(self, events: Iterable[tuple[str, str, Untrusted, dict[str, Any]]]) -> int:
        """Append events (type, subject, actor, data) in one transaction; return the number of the last.

        Raises:
            HistoryError: the data of one does not fit its type, or they could not be written. None was
                recorded.
        """
        at = chain.stamp(datetime.now(UTC))
        records = [
            NewRecord(at, type, subject, actor.text, _text(type, data))
            for type, subject, actor, data in events
        ]
        return await self._writer.do(lambda ledger: ledger.append_many(records))

    async def append_output(self, run: str, chunks: Sequence[OutputChunk]) -> None:
        """Append output of a run; it is on disk within `batch_milliseconds`, and before the run's next event.

        Raises:
            HistoryError: it could not be written.
        """
        filled = [chunk for chunk in chunks if chunk.data]
        if filled:
            await self._writer.do(
                lambda ledger: ledger.buffer_output(run, filled), durable=False, patient=True
            )

    async def append_meters(self, run: str, samples: Sequence[Meters]) -> None:
        """Append resource samples of a run; they are on disk within `batch_milliseconds`.

        Raises:
            HistoryError: they could not be written.
        """
        if samples:
            data = MeterBlock(samples=tuple(samples)).model_dump(mode="json")
            await self.append("run.meters", run, Untrusted(ENGINE), data, durable=False)

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Append an artifact of a run; it is on disk before the run's next event.

        Raises:
            HistoryError: it could not be written.
        """
        data = _text("run.artifact", artifact.model_dump(mode="json"))
        digest = artifact.digest
        await self._writer.do(
            lambda ledger: ledger.append_artifact(run, data, content, digest), durable=False, patient=True
        )

    async def apply_retention(self, held: frozenset[str] = frozenset()) -> int:
        """Erase the code, files and output that the settings do not keep, and return how many.

        Nothing is erased of the submissions `held`.

        Raises:
            HistoryError: it could not be recorded; nothing was erased.
        """
        if self._settings.retain_days is None and self._settings.retain_mb is None:
            return 0
        erased = 0
        while some := await self._writer.do(
            lambda ledger: erase_some(ledger, self._settings, datetime.now(UTC), self._clock, held)
        ):
            erased += some
        return erased

    async def erase(self, id: str, actor: Untrusted, order: ErasureOrder) -> Erased:
        """Erase texts of a case that is over, record that, and return what was erased.

        Raises:
            HistoryError: there is no such case, it is not over, or it could not be recorded.
        """
        await self._read.erasable(id, order)
        return await self._writer.do(lambda ledger: erase_case(ledger, id, actor.text, order))

    async def believes_clock(self) -> bool:
        """Return whether the clock of this machine can be believed, so that something may be too old."""
        return await self._writer.do(
            lambda ledger: self._clock.believes(datetime.now(UTC), ledger.connection), durable=False
        )

    async def compact(self) -> None:
        """Write the database anew where something was erased since the last time."""
        more = await self._writer.alone(lambda ledger: merge_some(ledger, begin=True))
        while more:
            more = await self._writer.alone(lambda ledger: merge_some(ledger, begin=False))
        await self._writer.alone(compact)

    async def case_file(self, id: str) -> bytes:
        """Return a zip that proves, with Python alone, what happened to a submission.

        Raises:
            HistoryError: there is no such submission.
        """
        key = self._writer.key
        return await self._connections.do(lambda connection: case_file(connection, id, key))

    async def sealed_file(self, id: str, members: Mapping[str, bytes]) -> bytes:
        """Return a zip that proves the events of an incident, with these members beside them.

        Raises:
            HistoryError: there is no such incident, or it is too large.
        """
        key = self._writer.key
        return await self._connections.do(lambda connection: sealed_file(connection, id, key, members))

    async def verify(
        self,
        progress: ProgressCallback | None = None,
        *,
        resume: bool = False,
        witnessed: Sequence[str] = (),
    ) -> Verification:
        """Check every record, case and content; return the first that is not as it was written.

        With `resume`, start after the last checkpoint. `witnessed` are checkpoints that witnesses kept.
        `progress` is called in the event loop.
        """
        loop = asyncio.get_running_loop()
        wanted = threading.Event()
        wanted.set()

        def report(done: int, total: int) -> None:
            if not wanted.is_set() or self._connections.closing:
                raise HistoryError("The verification was cancelled")
            if progress:
                loop.call_soon_threadsafe(progress, done, total)

        key, file = self._writer.key.public_key(), checkpoints_of(self._database.path)
        notes = await asyncio.to_thread(checkpoint_file.notes, file)
        outside = await asyncio.to_thread(self._outside, witnessed)
        try:
            return await self._connections.do(
                lambda connection: verify(
                    SqlSource(connection, self._database.file),
                    notes,
                    key,
                    report,
                    resume=resume and not witnessed,
                    outside=outside,
                    later=lambda: checkpoint_file.notes_after(file, SETTLED_SECONDS),
                ),
                seconds=float("inf"),
            )
        finally:
            wanted.clear()

    def checks(self) -> Sequence[Check]:
        """Return the rows of Health: the witness, and what contradicted the history."""
        return [
            *(contradiction_check(problem) for problem in self._writer.contradictions),
            *([witness_check(self._witness)] if self._witness else []),
            *([_unsaved_check(self._writer.unsaved)] if self._writer.unsaved else []),
        ]

    def _outside(self, witnessed: Sequence[str]) -> list[Witnessed]:
        """Return what the given notes, the witness file and the git repository say."""
        kept = [Witnessed("the given checkpoints", parse(note) or parse_head(note)) for note in witnessed]
        if self._witness:
            name = f"the witness {self._witness.path}"
            kept += [Witnessed(name, head) for head in self._witness.heads()]
        if self._settings.witness_git:
            file = self._settings.witness_git / FILE
            kept += [Witnessed(f"the witness {file}", note) for note in checkpoint_file.notes(file)]
        return kept


def _bind_key(ledger: Ledger, key: str, subject: str) -> None:
    """Bind an idempotency key. Raises KeyTakenError: it came with another submission."""
    if bound := ledger.connection.dialect.bind_key(key, subject):
        raise KeyTakenError(bound)


def _unsaved_check(why: str) -> Check:
    detail = f"the last output and samples are in memory alone: {why}"
    return Check(
        name="unsaved records", ok=False, detail=Untrusted(detail), hint="Look at: df -h, dmesg | tail"
    )


def _text(type: str, data: dict[str, Any], case: cases.EncodedCase | None = None) -> str:
    """Return the data of an event as it is written, with the digest of the case after it."""
    version = validate(type, data)
    more: dict[str, Any] = {} if version == 1 else {"v": version}
    if case:
        more[STATE] = case.sha256
    return chain.canonical_data({**data, **more} if more else data)


async def _encode(case: Case) -> cases.EncodedCase:
    if sum(len(file.content) for file in case.submission.draft.files) < LARGE:
        return cases.encode(case)
    return await asyncio.to_thread(cases.encode, case)
