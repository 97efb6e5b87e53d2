"""One thread that owns the write connection: what waits together is committed together, with one fsync."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.history.api import Once
from engine.history.chain.signing_key import signing_key
from engine.history.errors import AlreadyRecordedError, HistoryError
from engine.history.store.sql import tree
from engine.history.store.sql.connection import SqlConnection, SqlDatabase
from engine.history.store.sql.contradictions import contradictions
from engine.history.store.sql.history_end import open_end
from engine.history.store.sql.ledger import Ledger
from engine.history.store.write_job import WriteJob
from engine.history.witness.witness_file import WitnessFile
from engine.settings import HistorySettings

T = TypeVar("T")
QUEUED = 10_000
"""More waiting jobs are refused."""
GROUP = 2_000
"""How many jobs at most share a transaction."""
IDLE = 0.05
"""Seconds without a job after which texts are indexed: not while a run that starts writes its output."""
HELD_BYTES = 1 << 20
"""More output than that does not wait for company."""
REDO_SECONDS = 0.25
"""How often what a failed transaction took back is tried again."""
CLOSE_SECONDS = 10.0
"""How long a disk that hangs holds up the end of the engine."""


class Writer:
    """The thread. Jobs are done in the order they come, and answered in the event loop."""

    def __init__(
        self,
        database: SqlDatabase,
        settings: HistorySettings,
        loop: asyncio.AbstractEventLoop,
        witness: WitnessFile | None = None,
    ) -> None:
        self._database = database
        self._failures: tuple[type[Exception], ...] = (*database.errors, HistoryError)
        self._settings = settings
        self._loop = loop
        self._lock = database.lock()
        try:
            self._ledger = open_ledger(database, settings, witness)
        except BaseException as error:
            self._lock.close()
            raise self._explained(error) from None
        self._jobs: queue.SimpleQueue[WriteJob | None] = queue.SimpleQueue()
        self._alone: queue.SimpleQueue[WriteJob] = queue.SimpleQueue()
        self._owed: list[WriteJob] = []
        """What was answered, and taken back by a failed transaction: done again before anything else."""
        self.unsaved = ""
        """Why what was answered is not on disk; empty if it is, or will be within a moment."""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="audit-writer", daemon=True)
        self._thread.start()

    @property
    def contradictions(self) -> tuple[str, ...]:
        """What contradicted the history when it was opened, now or earlier, and since."""
        return self._ledger.contradictions

    @property
    def key(self) -> Ed25519PrivateKey:
        """The key that signs the checkpoints."""
        return self._ledger.key

    async def do(
        self,
        work: Callable[[Ledger], T],
        *,
        durable: bool = True,
        patient: bool = False,
        once: Once | None = None,
    ) -> T:
        """Do `work` in the thread and return what it returns, once it is on disk where `durable`.

        It is done once for the same `once`, however often that is tried.

        Raises:
            HistoryError: it could not be written, or not within the deadline unless `patient`.
        """
        if self._stopped:
            raise HistoryError("The history is closed")
        if self._jobs.qsize() >= QUEUED:
            raise HistoryError("The disk does not keep up: too much waits to be recorded")
        answer: asyncio.Future[T] = self._loop.create_future()
        job = WriteJob(work, durable or bool(self._owed), answer, once=once or Once())
        self._jobs.put(job)
        if patient:
            return await answer
        late = self._loop.call_later(self._settings.write_deadline_seconds, self._late, job)
        try:
            return await answer
        finally:
            late.cancel()

    async def alone(self, work: Callable[[Ledger], T]) -> T:
        """Do `work` in the thread outside of any transaction, and return what it returns, however late.

        Raises:
            HistoryError: it failed.
        """
        if self._stopped:
            raise HistoryError("The history is closed")
        answer: asyncio.Future[T] = self._loop.create_future()
        self._alone.put(WriteJob(work, durable=True, answer=answer))
        await self.do(lambda ledger: None, patient=True)
        return await answer

    def close(self) -> None:
        """Write what waits, end the thread, and let go of the file."""
        if self._stopped:
            return
        self._stopped = True
        self._jobs.put(None)
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive():  # the disk hangs: the file stays locked until the process has ended
            return
        self._last_checkpoint()
        self._ledger.connection.close()
        self._lock.close()

    def _last_checkpoint(self) -> None:
        with contextlib.suppress(*self._failures):  # a disk that cannot take it has been reported already
            self._ledger.begin()
            self._ledger.checkpoint()
            self._ledger.commit()

    def _late(self, job: WriteJob) -> None:
        seconds = self._settings.write_deadline_seconds
        if not job.answer.done():
            job.given_up = True
            job.answer.set_exception(
                HistoryError(
                    f"{self._database.name} did not answer within {seconds:g} s",
                    hint="Look at: iostat, dmesg",
                )
            )

    def _run(self) -> None:
        indexing = True
        while True:
            try:
                job = self._jobs.get(timeout=self._pause(indexing=indexing))
            except queue.Empty:
                indexing = self._transaction(None) if self._owed else self._idle(indexing=indexing)
                continue
            if job is None:
                self._transaction(None)
                return
            if not self._transaction(job):
                return
            self._do_alone()
            indexing = True

    def _do_alone(self) -> None:
        """Do what has to be done outside of a transaction, unless something is still owed."""
        while not self._owed and not self._alone.empty():
            job = self._alone.get()
            try:
                job.value = job.work(self._ledger)
            except Exception as error:  # whatever it is, its caller gets it and the thread goes on
                self._ledger.roll_back()
                self._tell(_refuse, [job], self._explained(error))
            else:
                self._tell(_answer, [job])

    def _pause(self, *, indexing: bool) -> float | None:
        """Return after how many seconds without a job there is something else to do; None: never."""
        if self._owed:
            return REDO_SECONDS
        return IDLE if indexing else self._ledger.due_in()

    def _idle(self, *, indexing: bool) -> bool:
        """Index some texts, or sign what is due; return whether there may be more to index."""
        if indexing:
            return self._index()
        try:
            self._ledger.checkpoint_by_time()
        except self._failures:  # the next write gets the error of the disk
            self._ledger.since = time.monotonic()
        return False

    def _index(self) -> bool:
        try:
            return self._ledger.index_some()
        except self._failures:
            return False

    def _transaction(self, first: WriteJob | None) -> bool:
        """Do what is owed, `first` and what comes in its company, commit, and return whether to go on."""
        done: list[WriteJob] = []
        going = True
        try:
            self._ledger.begin()
            for owed in self._owed:
                owed.work(self._ledger)
            going = first is None or self._fill(first, done)
            self._ledger.commit()
        except Exception as error:  # whatever it is, no job of the transaction may be answered well
            self._ledger.roll_back()
            reason = self._explained(error)
            failed = done or ([first] if first else [])
            for job in failed:
                job.undo()
            self._owed += [job for job in failed if job.answered]
            self.unsaved = str(reason) if self._owed else ""
            self._tell(_refuse, [job for job in failed if not job.answered], reason)
        else:
            self._owed.clear()
            self.unsaved = ""
            self._tell(_answer, done)
        return going

    def _explained(self, error: BaseException) -> BaseException:
        """Return what an error means where it is one of the database, else the error."""
        return self._database.explain(error) if isinstance(error, self._database.errors) else error

    def _fill(self, first: WriteJob, done: list[WriteJob]) -> bool:
        deadline = time.monotonic() + self._settings.batch_milliseconds / 1000
        job: WriteJob | None = first
        hurry = False
        while job is not None:
            if not job.given_up:
                self._do(job, done)
            if not job.durable:
                job.answered = True
                self._tell(_answer, [job])
            hurry = hurry or job.durable or self._ledger.buffered_bytes > HELD_BYTES
            if len(done) >= GROUP:
                return True
            try:
                job = self._jobs.get(timeout=0 if hurry else max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return True
        return False

    def _do(self, job: WriteJob, done: list[WriteJob]) -> None:
        """Write a job; one that is refused before it wrote anything does no harm to its company."""
        done.append(job)
        try:
            job.do(self._ledger)
        except AlreadyRecordedError as error:
            done.remove(job)
            self._tell(_refuse, [job], error)

    def _tell(self, how: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits for an answer
            self._loop.call_soon_threadsafe(how, *arguments)


def checkpoints_of(path: Path) -> Path:
    """Return where the checkpoints of the history at `path` lie beside the database."""
    return path.with_name(path.name + ".checkpoints")


def _answer(jobs: list[WriteJob]) -> None:
    for job in jobs:
        if not job.answer.done():
            job.answer.set_result(job.value)


def _refuse(jobs: list[WriteJob], reason: BaseException) -> None:
    for job in jobs:
        if not job.answer.done():
            job.answer.set_exception(reason)


def open_ledger(
    database: SqlDatabase, settings: HistorySettings, witness: WitnessFile | None = None
) -> Ledger:
    """Return the ledger of a history, created where there is none. The caller holds its lock.

    Raises:
        HistoryError: its key is missing, or another one.
    """
    connection = database.writer()
    path = database.path
    try:
        key = _key_of(connection, path.with_suffix(".key"))
        ledger = Ledger(connection, key, checkpoints_of(path), settings.checkpoint_events, witness)
        ledger.checkpoint_seconds = settings.checkpoint_seconds
        ledger.begin(opening=True)
        ledger.repair_checkpoint_file()
        open_end(ledger)
        ledger.commit()
        ledger.contradictions = contradictions(connection)
    except BaseException:
        connection.close()
        raise
    return ledger


def _key_of(connection: SqlConnection, path: Path) -> Ed25519PrivateKey:
    if not path.exists() and tree.head(connection)[0]:
        raise HistoryError(
            f"The key {path} is missing, and the history beside it was signed with it",
            hint="Put it back from a copy, or move the history aside",
        )
    return signing_key(path)
