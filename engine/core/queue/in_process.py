"""The work queue of a single engine, in its memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from weakref import WeakKeyDictionary

from engine.common.supervisor import Supervisor
from engine.core.queue.api import ActiveSubmission, QueueFull, QueueHandler
from engine.core.queue.deadlines import Deadlines
from engine.core.queue.leases import ClientLeases
from engine.core.runs.run_stream import ReadBack, RunStream
from engine.models import Case, Principal, Status
from engine.settings import ServerSettings


@dataclass
class _Slot:
    """What the queue keeps about one entry."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    overdue: bool = False
    """Whether its deadline has passed."""


class InProcessQueue:
    """Implements `WorkQueue` with asyncio's own locks, tasks and events."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._entries: dict[str, ActiveSubmission] = {}
        self._slots: WeakKeyDictionary[ActiveSubmission, _Slot] = WeakKeyDictionary()
        self._reserved = Counter[str]()
        self._leases = ClientLeases(settings.withdraw_seconds, self._is_open, self._last_lease_ended)
        self._deadlines = Deadlines[ActiveSubmission](self._deadline_passed)
        self._latest = 0
        self._announced = asyncio.Event()

    def start(self, supervisor: Supervisor, handler: QueueHandler) -> None:
        """Start to watch deadlines and leases, and report to `handler`: again where that failed."""
        self._supervisor = supervisor
        self._handler = handler
        self._leases.start()
        supervisor.start("deadlines", self._deadlines.run)

    def stop(self) -> None:
        """Stop watching: what is open stays open."""
        self._leases.stop()
        self._deadlines.clear()

    def __iter__(self) -> Iterator[ActiveSubmission]:
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def pending(self) -> int:
        """How many submissions wait for a decision."""
        return sum(entry.case.status is Status.PENDING for entry in self)

    def add(self, case: Case, read_back: ReadBack) -> ActiveSubmission:
        """Add a new submission, or one that an earlier engine left open."""
        entry = ActiveSubmission(case, RunStream(read_back))
        self._entries[entry.id] = entry
        self._slots[entry] = _Slot()
        return entry

    def find(self, id: str) -> ActiveSubmission | None:
        """Return the open submission of that id, or None."""
        return self._entries.get(id)

    def exclusive(self, entry: ActiveSubmission) -> AbstractAsyncContextManager[None]:
        """Hold a submission: nobody else decides on it, claims it or withdraws it meanwhile."""
        return self._slots[entry].lock

    def update(self, entry: ActiveSubmission, case: Case) -> None:
        """Replace the case of a submission; once it is not pending its deadline is cancelled."""
        entry.case = case
        if case.status is not Status.PENDING:
            self._deadlines.cancel(entry)

    def close(self, entry: ActiveSubmission) -> None:
        """Remove a finished submission, and end the readers of its run."""
        self._deadlines.cancel(entry)
        self._entries.pop(entry.id, None)
        entry.stream.close()
        self._slots[entry].closed.set()

    async def wait_closed(self, entry: ActiveSubmission) -> None:
        """Wait until a submission is finished."""
        await self._slots[entry].closed.wait()

    def expire_after(self, entry: ActiveSubmission, seconds: float) -> None:
        """Call the handler after so many seconds, unless the submission is decided before."""
        self._slots[entry].overdue = False
        self._deadlines.set(entry, seconds)

    def seconds_left(self, entry: ActiveSubmission) -> float:
        """Return the seconds until the deadline of a submission; 0 where it has none."""
        return max(0.0, self._deadlines.left(entry) or 0.0)

    def overdue(self, entry: ActiveSubmission) -> bool:
        """Return whether the deadline of a submission has passed."""
        left = self._deadlines.left(entry)
        return self._slots[entry].overdue or (left is not None and left <= 0)

    def _deadline_passed(self, entry: ActiveSubmission) -> None:
        self._slots[entry].overdue = True
        self._supervisor.start("expiry", partial(self._handler.expired, entry))

    @contextlib.asynccontextmanager
    async def reserve(self, requester: Principal) -> AsyncIterator[None]:
        """Hold a place in the queue for a submission that is being analysed. Raises QueueFull."""
        self._check_quotas(requester)
        self._reserved[requester.account] += 1
        try:
            yield
        finally:
            self._reserved -= Counter((requester.account,))

    def _check_quotas(self, requester: Principal) -> None:
        real = [entry for entry in self if not entry.is_drill]
        total = len(real) + self._reserved.total()
        if total >= self._settings.max_pending:
            raise QueueFull(f"{total} submissions wait or run already", _first_end(self))
        entries = [entry for entry in real if entry.case.submission.requester.account == requester.account]
        own = len(entries) + self._reserved[requester.account]
        if own >= self._settings.max_pending_each:
            reason = f"{own} submissions of yours wait or run already, of {total} in all"
            raise QueueFull(reason, _first_end(entries), "Withdraw some that wait, or come")

    def lease(self, lease: str, id: str) -> None:
        """Bind a submission to a client: it is abandoned once none of its clients is connected."""
        self._leases.take(lease, id)

    def pass_leases_on(self, old: str, new: str) -> None:
        """Bind a submission to the clients that held another one, which is over."""
        self._leases.pass_on(old, new)

    def connected(self, lease: str) -> AbstractAsyncContextManager[None]:
        """Count a client as connected until the block ends."""
        return self._leases.connected(lease)

    def _is_open(self, id: str) -> bool:
        return id in self._entries

    def _last_lease_ended(self, id: str) -> None:
        """Report a submission whose last lease has ended, if it is pending."""
        entry = self.find(id)
        if entry is not None and entry.case.status is Status.PENDING:
            self._supervisor.start("withdrawals", partial(self._handler.abandoned, entry))

    def announce(self, event: int) -> None:
        """Wake the followers: the event of that number is recorded."""
        self._latest = max(self._latest, event)
        self._announced.set()
        self._announced = asyncio.Event()

    async def wait_for_event(self, after: int) -> None:
        """Wait until an event with a higher number is announced."""
        while self._latest <= after:
            await self._announced.wait()


def _first_end(entries: Iterable[ActiveSubmission]) -> float:
    """Return in how many seconds the first deadline frees a place, or 10 where none is known."""
    ends = [entry.case.deadline for entry in entries if entry.case.deadline]
    return (min(ends) - datetime.now(UTC)).total_seconds() if ends else 10.0
