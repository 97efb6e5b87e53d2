"""Queries: the queue, one case, its events, and the output and meters of its run, live or stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.queue import WorkQueue
from engine.core.runs.observed import run_effects
from engine.history.api import HistoryStore
from engine.history.summary import summary_of
from engine.models import Case, Consequence, Event, Grant, Meters, OutputChunk, Status, Summary, Verification
from engine.models.lines import RunLines
from engine.models.observed import RunEffects
from engine.policy.consequences import consequences

PAGE_BYTES = 128 << 10
"""How much output of a run that is over is read back at once: a reader that does not read holds so much."""
REVIVED = "submission.revived"
REVIVAL_SECONDS = 60.0
"""Longer than an engine takes from recording a revival to the new submission."""


class Queries:
    """Answers from the open submissions first, then from the history."""

    def __init__(self, log: HistoryStore, events: EventBus, queue: WorkQueue) -> None:
        self._log = log
        self._events = events
        self._queue = queue

    @property
    def busy(self) -> bool:
        """Whether anything waits or runs."""
        return len(self._queue) > 0

    @property
    def pending(self) -> int:
        """How many submissions wait for a decision."""
        return self._queue.pending

    @property
    def going(self) -> int:
        """How many are approved and not over."""
        return len(self._queue) - self._queue.pending

    @property
    def running_here(self) -> int:
        """How many approved submissions run at this engine, or wait here for a sandbox."""
        return sum(entry.is_here for entry in self._queue)

    @property
    def latest(self) -> int:
        """The number of the last event that was recorded."""
        return self._events.latest

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with each event once it is recorded."""
        self._events.listen(listener)

    async def queue(self) -> tuple[Summary, ...]:
        """Return what waits, is queued or runs, the most urgent first."""
        return tuple(sorted((summary_of(entry.case) for entry in self._queue), key=_urgency))

    async def case(self, id: str) -> Case:
        """Return everything known about a submission.

        Raises:
            Problem: there is none of that id.
        """
        entry = self._queue.find(id)
        case = entry.case if entry else await self._log.read.case(id)
        if case is None:
            raise Problem(404, f"no submission {id}", hint="Type: pratique history")
        return case

    async def is_missing_revival(self, case: Case) -> bool:
        """Say whether what a case waits again as is not there, since its engine ended before it waited.

        Of several engines another one may be about to let it wait: that is known after `REVIVAL_SECONDS`.
        """
        if self._queue.find(case.revived_as) or await self._log.read.case(case.revived_as) is not None:
            return False
        if self._log.engines is None:
            return True
        trail = await self.trail(case.submission.id)
        ages = [(datetime.now(UTC) - one.at).total_seconds() for one in trail if one.type == REVIVED]
        return all(age > REVIVAL_SECONDS for age in ages)

    async def consequences(self, id: str, grant: Grant) -> tuple[Consequence, ...]:
        """Return the consequences of granting a submission less than it requests.

        Raises:
            Problem: there is none of that id.
        """
        case = await self.case(id)
        return consequences(case.analysis, case.submission.draft.permissions, grant.permissions)

    async def finished(self, id: str, within: float | None = None) -> Case:
        """Return the case of a submission once it is decided against, or its run has ended.

        After `within` seconds the case is returned as it is.
        """
        entry = self._queue.find(id)
        if entry:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await self._queue.wait_closed(entry)
            return entry.case
        return await self.case(id)

    async def history(
        self, filter: str = "", before: str | None = None, limit: int = 200
    ) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first, those before `before`."""
        return await self._log.read.summaries(filter, before, limit)

    async def trail(self, id: str) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first."""
        return await self._log.read.events(subject=id)

    async def effects(self, id: str) -> RunEffects:
        """Return what a run did so far, beside what was predicted and granted."""
        return run_effects(await self.case(id), await self.trail(id))

    async def lines(self, id: str) -> RunLines:
        """Return which lines of a run's code ran, as the guest says: live, or as recorded at its end."""
        entry = self._queue.find(id)
        if entry:
            return entry.stream.lines or RunLines(partial=True)
        await self.case(id)
        for event in reversed(await self.trail(id)):
            if event.type == "run.lines":
                return RunLines.model_validate(event.data)
        return RunLines()

    def events(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield events as they happen, those after `since` first."""
        return self._events.follow(since)

    async def output(self, id: str, offset: int = 0) -> AsyncGenerator[OutputChunk, None]:
        """Yield a run's output from `offset` bytes on: live, or all of it where the run is over."""
        entry = self._queue.find(id)
        if entry:
            async with contextlib.aclosing(entry.stream.output(offset)) as live:
                async for chunk in live:
                    yield chunk
            return
        await self.case(id)
        while chunks := await self._log.read.output(id, offset, PAGE_BYTES):
            for chunk in chunks:
                offset = chunk.offset + len(chunk.data)
                yield chunk

    async def meters(self, id: str) -> AsyncGenerator[Meters, None]:
        """Yield what a run uses: live, or all that was kept where the run is over."""
        entry = self._queue.find(id)
        if entry:
            async with contextlib.aclosing(entry.stream.meters()) as live:
                async for sample in live:
                    yield sample
            return
        await self.case(id)
        for sample in await self._log.read.meters(id):
            yield sample

    async def verify(self) -> Verification:
        """Verify the whole history, return the result, and record it."""
        verification = await self._log.verify()
        await self._events.record("history.verified", data=verification.model_dump(mode="json"))
        return verification


def _urgency(summary: Summary) -> tuple[bool, datetime]:
    return summary.status is not Status.PENDING, summary.deadline or datetime.max.replace(tzinfo=UTC)
