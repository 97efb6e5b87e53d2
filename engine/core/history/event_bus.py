"""The event bus: records events in the history, and wakes their followers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any

from engine.common import log as engine_log
from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.core.history.pending_records import PendingRecords
from engine.core.queue.api import ActiveSubmission, WorkQueue
from engine.core.storage import Storage
from engine.history.api import HistoryStore, Once
from engine.history.errors import HistoryError, InvalidEventError, SupersededError
from engine.models import Artifact, Case, Check, Event, Meters, OutputChunk

ENGINE = Untrusted("engine")
"""The actor of what the engine does by itself: deadlines, sandboxes, recovery."""
PAGE_EVENTS = 16
"""How many events are read for a follower at once: a follower that does not read holds so many."""
HELD_SECONDS = 0.005
"""After how long a follower looks again for an event that was on disk before it was announced."""
REPLAYED_EVENTS = 1000
"""How many events of a subject are read at once."""
WATCH_SECONDS = 1.0
"""How often a disk that took no record is tried again."""


class EventBus:
    """Records events and wakes their followers.

    Where somebody waits for the answer, a record that cannot be made is an error. What happened already and
    has to be recorded in the end is recorded with `record_surely` or, after an action, `record_soon`.
    """

    def __init__(
        self, log: HistoryStore, queue: WorkQueue, supervisor: Supervisor, storage: Storage | None = None
    ) -> None:
        self.log = log
        self.pending = PendingRecords(supervisor)
        self._storage = storage
        self._queue = queue
        self._latest = 0
        self._writing = 0
        """How many events are being recorded."""
        self._own: set[int] = set()
        """Numbers of this engine's own events, where several engines write, that were not read back yet."""
        self._listeners: list[Callable[[Event], None]] = []

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with each event once it is recorded."""
        self._listeners.append(listener)

    @property
    def latest(self) -> int:
        """The number of the last event that was recorded."""
        return self._latest

    async def record(
        self,
        type: str,
        subject: str = "",
        actor: Untrusted = ENGINE,
        *,
        data: dict[str, Any] | None = None,
        case: Case | None = None,
        entry: ActiveSubmission | None = None,
        durable: bool = True,
        patient: bool = False,
    ) -> Event:
        """Append an event, with the case in its state after it; on return it is on disk where `durable`.

        Where several engines write, nothing is recorded of an `entry` that is not open any more.

        Raises:
            SupersededError: another engine has changed what it is about.
            HistoryError: it could not be recorded, or nobody would find the record.
        """
        append = partial(
            partial(self.log.append, type, subject, actor, data or {}, case=case, once=Once()),
            durable=durable,
            patient=patient,
        )
        self._require_storage()
        found = self._queue.find(subject) if case and self.log.engines else None
        if entry and self.log.engines and found is not entry:
            raise SupersededError(f"{subject} was ended meanwhile", hint=f"Type: pratique show {subject}")
        entry = found
        if entry:
            append = partial(append, once=Once(after=entry.version or 0))
        try:
            event = await self._append(append)
            self._require_storage()
        except InvalidEventError:
            raise
        except HistoryError as error:
            self.pending.failed(error)
            raise
        self.pending.succeeded()
        if entry:
            entry.version = event.seq
        self._announce(event)
        return event

    async def record_after(
        self, known: int, type: str, subject: str, actor: Untrusted, data: dict[str, Any]
    ) -> Event:
        """Append an event, where several engines write only if its subject has had none since `known`.

        Raises:
            SupersededError: another engine has recorded something about it.
            HistoryError: it could not be recorded.
        """
        if self.log.engines is None:
            return await self.record(type, subject, actor, data=data)
        event = await self._append(
            partial(self.log.append, type, subject, actor, data, once=Once(after=known))
        )
        self._announce(event)
        return event

    async def record_surely(
        self,
        type: str,
        subject: str = "",
        actor: Untrusted = ENGINE,
        *,
        data: dict[str, Any] | None = None,
        case: Case | None = None,
        entry: ActiveSubmission | None = None,
    ) -> None:
        """Append an event of the background, as soon as the history takes it."""
        await self.pending.insist(
            partial(self.record, type, subject, actor, data=data, case=case, entry=entry, patient=True)
        )

    async def record_soon(
        self, type: str, subject: str = "", actor: Untrusted = ENGINE, *, data: dict[str, Any] | None = None
    ) -> None:
        """Append an event of what is done already: wait for it shortly, and not for a disk that fails."""
        await self.pending.soon(partial(self.record, type, subject, actor, data=data, patient=True))

    async def append_output(self, run: str, chunk: OutputChunk) -> None:
        """Append output of a run, as soon as the history takes it."""
        await self.pending.insist(partial(self.log.append_output, run, [chunk]))

    async def append_meters(self, run: str, sample: Meters) -> None:
        """Append a sample of a run, unless the history takes none now: the next sample comes soon."""
        with contextlib.suppress(HistoryError):
            await self.log.append_meters(run, [sample])

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Append an artifact of a run, as soon as the history takes it: what keeps the files of a backend."""
        await self.pending.insist(partial(self.log.append_artifact, run, artifact, content))

    def require_ready(self) -> None:
        """Check that new work can be recorded. Raises Problem (503) with what to type."""
        self.pending.require_none()
        if self._storage:
            self._storage.require_space()

    async def watch(self) -> None:
        """Try after a failure whether the disk takes writes again, until cancelled."""
        while True:
            if self.pending.error and self._storage and not self.pending.waiting:
                self._storage.require()
                if await self._storage.takes_writes():
                    self.pending.succeeded()
            await asyncio.sleep(WATCH_SECONDS)

    def checks(self) -> tuple[Check, ...]:
        """Return the rows of Health about recording."""
        return (self.pending.check(), *(self._storage.checks() if self._storage else ()))

    async def _append(self, append: Callable[[], Awaitable[Event]]) -> Event:
        """Append, and once more where the reserve could be given up: `append` writes once at most."""
        self._writing += 1
        try:
            return await append()
        except InvalidEventError:
            raise
        except HistoryError:
            if self._storage is None or not self._storage.reserve.release():
                raise
            return await append()
        finally:
            self._writing -= 1

    def _require_storage(self) -> None:
        if self._storage:
            self._storage.require()

    def is_own(self, event: int) -> bool:
        """Return whether this engine recorded the event of that number, as far as it knows by now."""
        return event in self._own

    def forget_own(self, until: int) -> None:
        """Forget which events are this engine's own, up to a number: they were read back."""
        self._own = {event for event in self._own if event > until}

    def heard(self, event: int) -> None:
        """Wake the followers of events: other engines recorded some, up to this number."""
        self._latest = max(self._latest, event)
        self._queue.announce(event)

    def _announce(self, event: Event) -> None:
        if self.log.engines:
            self._own.add(event.seq)
        self.heard(event.seq)
        for listener in self._listeners:
            try:
                listener(event)
            except Exception as error:  # the event is recorded: what copies it must not undo that
                engine_log.internal_error(error, "event listener")

    async def witness(self, type: str, witness: str, why: str) -> None:
        """Record that a witness takes no checkpoints, or takes them again."""
        await self.record_surely(type, data={"witness": witness, "why": why})

    async def recorded(self, subject: str) -> AsyncGenerator[Event, None]:
        """Yield all events of a subject, the oldest first."""
        last = 0
        while events := await self.log.read.events(since=last, subject=subject, limit=REPLAYED_EVENTS):
            for event in events:
                yield event
            last = events[-1].seq

    async def follow(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield the events after `since`, or from now on, for as long as the reader wants.

        An event that is being recorded comes once it is announced: whoever gets it finds what it says.
        """
        seen = self._latest if since is None else since
        while True:
            events = await self.log.read.events(since=seen, limit=PAGE_EVENTS)
            told = [event for event in events if not self._writing or event.seq <= self._latest]
            for event in told:
                seen = event.seq
                yield event
            if not events:
                await self._queue.wait_for_event(seen)
            elif not told:
                await asyncio.sleep(HELD_SECONDS)
