"""The protocol of the history store that the engine uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from engine.common.text import Untrusted
from engine.models import (
    Artifact,
    Case,
    Check,
    Erasure,
    Event,
    Facets,
    Meters,
    OutputChunk,
    Summary,
    Trends,
    Verification,
)
from engine.models.erasing.erasure import Erased, ErasureOrder
from engine.models.history import Counts, Total

ProgressCallback = Callable[[int, int], None]
"""Is called with how many records are done, and how many there are."""


@dataclass(eq=False, slots=True)
class Once:
    """Stands for one record over all attempts to append it: what an earlier attempt wrote late counts.

    An attempt whose deadline passed may still be written by a disk that goes on. Only the store looks inside.
    """

    written: bool = False
    value: Any = None
    after: int | None = None
    """The last record that the caller knows of the case, or else of the subject: nothing is written where
    there is a later one (SupersededError). None: whatever there is."""


class HistoryReader(Protocol):
    """Reads a history and changes nothing. Every method may raise HistoryError."""

    async def case(self, id: str) -> Case | None:
        """Return the case with this id, code and files included, or None."""

    async def open_cases(self) -> tuple[Case, ...]:
        """Return the cases that are pending, queued or running, the oldest first."""

    async def summaries(
        self,
        filter: str = "",
        before: str | None = None,
        limit: int = 200,
        *,
        requester: str | None = None,
        sort: str = "",
    ) -> tuple[Summary, ...]:
        """Return the cases that match `filter` and come after the id `before`, the newest first.

        With `requester` only the cases of this principal; with `sort` by a field, `-` in front: descending.
        """

    async def facets(self, filter: str = "") -> Facets:
        """Count the cases that match `filter` by risk, status, kill reason, language, day and requester."""

    async def total(self, filter: str = "") -> Total:
        """Return how many cases match `filter`: exactly, or at least so many."""

    async def counts(self, filter: str, field: str) -> Counts:
        """Count the cases that match `filter` by the values of a field of the query language."""

    async def values(self, field: str, begun: str) -> tuple[str, ...]:
        """Return some recorded values of a field of the query language that begin so."""

    async def trends(self, since: datetime) -> Trends:
        """Return metrics of the cases submitted from `since` on."""

    async def memory_kills(self, since: datetime) -> tuple[int, int]:
        """Return how many cases submitted from `since` on ran, and how many were killed for memory."""

    async def events(
        self, since: int = 0, subject: str | None = None, limit: int = 1000
    ) -> tuple[Event, ...]:
        """Return the events after number `since`, in order: all of them, or those of one subject."""

    async def output(self, run: str, offset: int = 0, limit: int = 1 << 20) -> tuple[OutputChunk, ...]:
        """Return the output of a run from byte `offset` on, at most `limit` bytes."""

    async def meters(self, run: str) -> tuple[Meters, ...]:
        """Return all resource samples of a run."""

    async def artifact(self, run: str, name: str) -> bytes:
        """Return an artifact of a run, by its name or digest.

        Raises:
            KeyError: the run has no such artifact.
            ErasedError: retention erased it.
        """

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        """Return what retention erased of a submission, and by which rule."""

    async def erasure_events(self, before: int | None = None, limit: int = 100) -> tuple[Event, ...]:
        """Return the events of erasures before an event's number, the newest first."""

    async def erased_output(self, id: str) -> tuple[str, bool]:
        """Return the rule that erased output of a run, empty if none did, and whether some is left."""

    async def erasable(self, id: str, order: ErasureOrder) -> Erased:
        """Return what `HistoryStore.erase` would erase. Raises HistoryError as it does."""

    async def said_by(self, author: str) -> tuple[str, ...]:
        """Return the submissions about which a person decided or noted something."""

    async def acts_of(self, name: str, since: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Return the events after number `since` of which this name is the actor."""

    async def latest_checkpoint(self) -> str | None:
        """Return the last signed checkpoint, or None if there is none yet."""


@dataclass(frozen=True, slots=True)
class PeerEngine:
    """One of several engines that write a history."""

    name: str
    beat: int
    """Grows as long as the engine lives."""
    fenced: bool
    """Whether the others have taken over from it: it can write nothing any more."""
    policy: str
    """The hash of the policy that it has in force; empty until it has said so."""


class Engines(Protocol):
    """The engines that write a history at the same time. Every method may raise HistoryError."""

    @property
    def name(self) -> str:
        """The name of this engine."""

    def listen(self, committed: Callable[[], None], called: Callable[[str], None]) -> None:
        """Call `committed` in the event loop after commits of any engine, and `called` with each call."""

    async def beat(self, policy: str) -> tuple[PeerEngine, ...]:
        """Say that this engine lives, and under which policy; return all engines."""

    async def fence(self, name: str, beat: int) -> None:
        """Let an engine commit nothing any more, until it is started again, unless it has beat since."""

    async def versions(self) -> Mapping[str, int]:
        """Return the number of the last record of each open submission."""

    async def places(self) -> Mapping[str, str]:
        """Return with which engine each open submission is; empty where it is offered to all of them."""

    async def offer(self, id: str) -> None:
        """Offer a submission to all engines, and wake them, if it is with this one."""

    async def offered(self) -> tuple[str, ...]:
        """Return the submissions that are offered."""

    async def claim(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Take those of these submissions that are offered still: each is with one engine at most.

        An engine that others have taken over from takes none.
        """

    async def call(self, text: str) -> None:
        """Tell all engines something, this one too; at most 5,000 bytes."""

    def opened(self, sealed: str) -> str:
        """Return the text of a call; empty where no engine has sealed it."""

    def close(self) -> None:
        """End the connections: this engine shows no sign of life any more."""

    async def file(self, name: str) -> tuple[int, bytes]:
        """Return the version and the content of a file that the engines share; 0 where there is none."""

    async def put_file(self, name: str, known: int, content: bytes) -> bool:
        """Share a file in the place of the version that is known; return whether that was the last one."""


class HistoryStore(Protocol):
    """Stores a history. Every method may raise HistoryError."""

    @property
    def engines(self) -> Engines | None:
        """The engines that write it at the same time; None where one writes alone."""

    @property
    def read(self) -> HistoryReader:
        """Return what reads this history."""

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
        """Append an event, with the case in its state after it.

        If `durable`, both are on disk when this returns; if it raises, neither was recorded, unless a disk
        that hangs records them late. A `patient` caller waits for such a disk, however long that takes; one
        that tries again passes the same `once`. A case takes one decision: AlreadyRecordedError.
        """

    async def append_many(self, events: Iterable[tuple[str, str, Untrusted, dict[str, Any]]]) -> int:
        """Append events (type, subject, actor, data) in one transaction; return the number of the last."""

    async def append_output(self, run: str, chunks: Sequence[OutputChunk]) -> None:
        """Append output of a run. It is on disk soon, and before the next event of the run."""

    async def append_meters(self, run: str, samples: Sequence[Meters]) -> None:
        """Append resource samples of a run. They are on disk soon."""

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Append an artifact of a run. It is on disk before the next event of the run."""

    async def apply_retention(self, held: frozenset[str] = frozenset()) -> int:
        """Erase the contents that the settings do not keep, and return how many. Events are kept.

        Nothing is erased of the submissions `held`.
        """

    async def erase(self, id: str, actor: Untrusted, order: ErasureOrder) -> Erased:
        """Erase texts of a case that is over, record that, and return what was erased.

        Raises:
            HistoryError: there is no such case, it is not over, or it could not be recorded.
        """

    async def believes_clock(self) -> bool:
        """Return whether the clock of this machine can be believed, so that something may be too old."""

    async def compact(self) -> None:
        """Write the database anew where something was erased since the last time.

        After that, what was erased is in no page, index or log of it.
        """

    async def case_file(self, id: str) -> bytes:
        """Return a zip that proves, with Python alone, what happened to a submission.

        Raises:
            HistoryError: there is no such submission.
        """

    async def sealed_file(self, id: str, members: Mapping[str, bytes]) -> bytes:
        """Return a zip that proves the events of an incident, with these members beside them.

        Raises:
            HistoryError: there is no such incident, or it is too large.
        """

    async def verify(
        self,
        progress: ProgressCallback | None = None,
        *,
        resume: bool = False,
        witnessed: Sequence[str] = (),
    ) -> Verification:
        """Check every record, case and content; return the first that is not as it was written.

        With `resume`, start after the last checkpoint. `witnessed` are checkpoints that witnesses kept.
        """

    def checks(self) -> Sequence[Check]:
        """Return the rows of Health about the history and its witness file."""

    async def close(self) -> None:
        """Write what is waiting and release the store."""
