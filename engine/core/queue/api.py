"""The interface of the work queue, whatever stores it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.core.runs.run_stream import ReadBack, RunStream
from engine.models import Case, Principal


@dataclass(eq=False)
class ActiveSubmission:
    """A submission that is pending, queued or running: its current case, and the live output of its run."""

    case: Case
    stream: RunStream
    version: int | None = None
    """The number of the last record of its case that this engine knows, where several engines write."""
    is_here: bool = False
    """Whether this engine runs it."""
    is_offered: bool = False
    """Whether this engine approved it, had no place for it, and offers it to all engines."""
    is_drill: bool = False
    """Whether it is a drill: it counts for nobody, and never runs."""

    @property
    def id(self) -> str:
        """The submission's id, which is its run's too."""
        return self.case.submission.id


class QueueFull(Exception):
    """There is no capacity for another submission of this requester."""

    def __init__(self, reason: str, retry_after: float, hint: str = "Come") -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.hint = hint


class QueueHandler(Protocol):
    """What the queue calls when nobody acts in time."""

    async def expired(self, entry: ActiveSubmission) -> None:
        """End a submission whose deadline has passed."""

    async def abandoned(self, entry: ActiveSubmission) -> None:
        """End a pending submission whose clients are all gone."""


class WorkQueue(Protocol):
    """Open submissions, and who works on them."""

    def start(self, supervisor: Supervisor, handler: QueueHandler) -> None:
        """Start to watch deadlines and leases, and report to `handler`: again where that failed."""

    def stop(self) -> None:
        """Stop watching: what is open stays open, for the next engine to recover."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[ActiveSubmission]: ...

    @property
    def pending(self) -> int:
        """How many submissions wait for a decision."""

    def add(self, case: Case, read_back: ReadBack) -> ActiveSubmission:
        """Add a new submission, or one that an earlier engine left open."""

    def find(self, id: str) -> ActiveSubmission | None:
        """Return the open submission of that id, or None."""

    def exclusive(self, entry: ActiveSubmission) -> AbstractAsyncContextManager[None]:
        """Hold a submission: nobody else decides on it, claims it or withdraws it meanwhile."""

    def update(self, entry: ActiveSubmission, case: Case) -> None:
        """Replace the case of a submission; once it is not pending its deadline is cancelled."""

    def close(self, entry: ActiveSubmission) -> None:
        """Remove a finished submission, and end the readers of its run."""

    async def wait_closed(self, entry: ActiveSubmission) -> None:
        """Wait until a submission is finished."""

    def expire_after(self, entry: ActiveSubmission, seconds: float) -> None:
        """Call the handler after so many seconds, unless the submission is decided before.

        The time of day plays no part; the time that the machine sleeps does.
        """

    def seconds_left(self, entry: ActiveSubmission) -> float:
        """Return the seconds until the deadline of a submission, by the same clock; 0 where it has none."""

    def overdue(self, entry: ActiveSubmission) -> bool:
        """Return whether the deadline of a submission has passed."""

    def reserve(self, requester: Principal) -> AbstractAsyncContextManager[None]:
        """Hold a place in the queue for a submission that is being analysed, on its requester's account.

        Raises QueueFull.
        """

    def lease(self, lease: str, id: str) -> None:
        """Bind a submission to a client: it is abandoned once none of its clients is connected."""

    def pass_leases_on(self, old: str, new: str) -> None:
        """Bind a submission to the clients that held another one, which is over."""

    def connected(self, lease: str) -> AbstractAsyncContextManager[None]:
        """Count a client as connected until the block ends."""

    def announce(self, event: int) -> None:
        """Wake the followers: the event of that number is recorded."""

    async def wait_for_event(self, after: int) -> None:
        """Wait until an event with a higher number is announced."""


def open_entry(queue: WorkQueue, id: str) -> ActiveSubmission:
    """Return the open submission of that id.

    Raises:
        Problem: it is finished, or does not exist (409).
    """
    entry = queue.find(id)
    if entry is None:
        raise Problem(409, f"{id} is over, or never was", hint=f"Type: pratique show {id}")
    return entry
