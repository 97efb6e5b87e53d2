"""Follows what other engines record, and keeps this engine's view of the submissions and settings by it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from engine.common import log
from engine.core.engines.wake_loop import look_when_woken
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue
from engine.history.events.blocks import MeterBlock
from engine.models import OPEN, Case, Event, Status

PAGE = 500
STATE = "case_sha256"
"""An event whose data has it was recorded with a case."""
LATE_SECONDS = 1.0
"""How much later than the engine that it is with others end a submission that nobody decided about."""
BUSY_SECONDS = 0.2
"""How long somebody here may work on a submission before its change is applied later."""

Listener = Callable[[Event], None]


class Follower:
    """Reads the events in order by a cursor, woken by commits, and applies what others have recorded."""

    def __init__(
        self,
        events: EventBus,
        queue: WorkQueue,
        reopen: Callable[[Case, float], ActiveSubmission],
        listeners: Mapping[str, Listener],
    ) -> None:
        self._events = events
        self._queue = queue
        self._reopen = reopen
        """Takes a submission that is with another engine into the queue, with so much more time."""
        self._listeners = listeners
        """What is told the events of a subject that others recorded."""
        self._seen = 0
        self._committed = asyncio.Event()
        self._turn = asyncio.Lock()
        self._postponed: dict[str, Event] = {}
        """By submission: the change that waits until nobody here works on it any more."""

    def wake(self) -> None:
        """Look soon whether something was recorded."""
        self._committed.set()

    async def run(self) -> None:
        """Follow, until cancelled."""
        await look_when_woken(self._committed, self.catch_up)

    def begin_after(self, event: int) -> None:
        """Follow what is recorded after an event."""
        self._seen = event

    async def catch_up(self) -> None:
        """Apply all that is recorded by now."""
        async with self._turn:
            for id, event in tuple(self._postponed.items()):
                if await self._refresh(event):
                    del self._postponed[id]
            while page := await self._events.log.read.events(since=self._seen, limit=PAGE):
                await self._apply(page)
                self._seen = page[-1].seq
                self._events.forget_own(self._seen)
                if len(page) < PAGE:
                    return

    async def _apply(self, page: tuple[Event, ...]) -> None:
        changed = {event.subject: event.seq for event in page if STATE in event.data}
        for event in page:
            if changed.get(event.subject) == event.seq:
                if not await self._refresh(event):
                    self._postponed[event.subject] = event
            elif event.type in {"run.output", "run.meters"}:
                await self._pass_on(event)
            if not self._events.is_own(event.seq):
                self._tell(event)
        self._events.heard(page[-1].seq)

    def _tell(self, event: Event) -> None:
        listener = self._listeners.get(event.subject) or self._listeners.get(event.type)
        if listener:
            try:
                listener(event)
            except Exception as error:  # one record that cannot be applied does not stop the rest
                log.internal_error(error, "follower")

    async def _refresh(self, event: Event) -> bool:
        """Bring a submission to its recorded state, unless it is known, or ended here.

        Return False where somebody here works on it meanwhile.
        """
        before = self._queue.find(event.subject)
        known = before.version if before else None
        if (known or 0) >= event.seq or (before is None and self._events.is_own(event.seq)):
            return True
        case = await self._events.log.read.case(event.subject)  # it takes its time when many ask
        entry = self._queue.find(event.subject)
        if case is None or (before and entry is not before):  # it ended here meanwhile
            return True
        if entry is None:
            self._set(None, case, event.seq)
            return True
        try:
            async with asyncio.timeout(BUSY_SECONDS), self._queue.exclusive(entry):
                if (entry.version or 0) < event.seq and self._queue.find(entry.id) is entry:
                    self._set(entry, case, event.seq)
        except TimeoutError:  # whoever works on it records nothing: the record would be out of date
            return False
        return True

    def _set(self, entry: ActiveSubmission | None, case: Case, version: int) -> None:
        is_open = case.status in OPEN
        if is_open and (entry is None or case.status is Status.PENDING):
            entry = self._reopen(case, LATE_SECONDS)
        if entry is None:
            return
        entry.version = version
        self._queue.update(entry, case)
        if not is_open:
            self._queue.close(entry)

    async def _pass_on(self, event: Event) -> None:
        """Pass output and samples of a run on another engine to the readers here."""
        entry = self._queue.find(event.subject)
        if entry is None or entry.is_here:
            return
        if event.type == "run.meters":
            for sample in MeterBlock.model_validate(event.data).samples:
                entry.stream.add_meters(sample)
        else:
            for chunk in await self._events.log.read.output(entry.id, entry.stream.end):
                entry.stream.add_output(chunk)
