"""The history service: searches, counts and reads the history, and records who did so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.history.own_search import require_open_fields
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError
from engine.history.search.query.complete import complete, unfinished
from engine.history.search.query.errors import QueryError
from engine.history.search.query.parser import parse
from engine.models import (
    Erasure,
    Event,
    Facets,
    FilterHelp,
    Principal,
    Summary,
    Trends,
    Verification,
    VerificationProgress,
)
from engine.models.history import Counts, Total

AGAIN_SECONDS = 600.0
"""A second view of a submission by the same principal within this time is not recorded."""
MOST_VIEWS = 10_000
MOST_HELP = 2000
"""So much of the end of a query is completed."""
PAGE = 200
"""How many submissions are read at once to find those of one requester."""


class HistoryService:
    """The history service, used by every API."""

    def __init__(self, log: HistoryStore, events: EventBus) -> None:
        self._log = log
        self._events = events
        self._views: dict[tuple[str, str], float] = {}

    async def search(
        self, filter: str, before: str | None, limit: int, own: Principal | None = None, sort: str = ""
    ) -> tuple[Summary, ...]:
        """Return submissions that match, the newest first, or sorted by a field.

        With `own` those alone that this one asked for, by what they may know.
        """
        if own is None:
            return await self._log.read.summaries(filter, before, limit, sort=sort)
        require_open_fields(filter, sort)
        found: list[Summary] = []
        while len(found) < limit:
            page = await self._log.read.summaries(filter, before, PAGE, requester=own.name.text, sort=sort)
            found += [summary for summary in page if await self._is_of(summary.id, own)]
            if len(page) < PAGE:
                break
            before = page[-1].id
        return tuple(found[:limit])

    async def _is_of(self, id: str, requester: Principal) -> bool:
        case = await self._log.read.case(id)
        return case is not None and case.submission.requester.is_same(requester)

    async def facets(self, filter: str) -> Facets:
        """Return how many submissions that match there are of each kind."""
        return await self._log.read.facets(filter)

    async def total(self, filter: str) -> Total:
        """Return how many submissions match: exactly, or at least so many."""
        return await self._log.read.total(filter)

    async def counts(self, filter: str, field: str) -> Counts:
        """Return how many submissions that match have each value of a field."""
        return await self._log.read.counts(filter, field)

    async def trends(self, days: float) -> Trends:
        """Return figures about the submissions of the last days."""
        return await self._log.read.trends(datetime.now(UTC) - timedelta(days=days))

    async def help(self, filter: str, *, with_values: bool = False) -> FilterHelp:
        """Return what a query may become, with recorded values where asked for, and where it is wrong."""
        end = unfinished(filter[-MOST_HELP:])
        recorded = await self._log.read.values(end.field, end.begun) if with_values and end.field else ()
        completions = complete(filter, recorded)
        try:
            parse(filter, datetime.now(UTC))
        except QueryError as error:
            return FilterHelp(
                completions=completions, position=error.position, problem=error.problem, hint=error.hint
            )
        return FilterHelp(completions=completions)

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        """Return what the rules of retention have erased of a submission."""
        return await self._log.read.erasures(id)

    async def has_output(self, id: str) -> str:
        """Return the rule by which part of a run's output was erased; nothing where all of it is there.

        Raises:
            Problem: all of it was erased by the rules of retention (410).
        """
        rule, partly = await self._log.read.erased_output(id)
        if rule and not partly:
            raise Problem(410, f"the output of {id} was erased by retention: {rule}")
        return rule

    async def trail(self, id: str, by: Principal) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first, and record the view."""
        await self.record_view(id, by)
        events: list[Event] = []
        while page := await self._log.read.events(events[-1].seq if events else 0, id):
            events += page
        return tuple(events)

    async def record_view(self, id: str, by: Principal) -> None:
        """Record that a principal viewed a submission, at most once in `AGAIN_SECONDS`."""
        key, now = (by.identity, id), asyncio.get_running_loop().time()
        if now - self._views.get(key, -AGAIN_SECONDS) >= AGAIN_SECONDS:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()
            self._views[key] = now
            await self._events.record("history.viewed", id, by.name)

    async def case_file(self, id: str, by: Principal) -> bytes:
        """Return the case file of a submission, a zip that anybody can verify, and record the export."""
        content = await self._log.case_file(id)
        await self.record_export(id, "case", 1, by)
        return content

    async def record_export(self, what: str, kind: str, count: int, by: Principal) -> None:
        """Record an export."""
        data = {"what": what, "format": kind, "submissions": count}
        await self._events.record("history.exported", "", by.name, data=data)

    async def record_checks(self, kind: str, total: int, failed: Sequence[str], by: Principal) -> None:
        """Record what a self-test or the doctor found: `kind` is `selftest` or `doctor`."""
        data = {"total": total, "failed": [visible(name)[:100] for name in failed]}
        await self._events.record(f"{kind}.ended", "", by.name, data=data)

    async def verify(
        self, by: Principal, *, resume: bool = False, witnessed: Sequence[str] = ()
    ) -> AsyncGenerator[VerificationProgress, None]:
        """Verify the history; yield the progress, then the result, which is recorded."""
        steps: asyncio.Queue[VerificationProgress] = asyncio.Queue()
        last = VerificationProgress(done=0, total=0)

        def report(done: int, total: int) -> None:
            steps.put_nowait(VerificationProgress(done=done, total=total))

        reading = asyncio.create_task(self._log.verify(report, resume=resume, witnessed=witnessed))
        reading.add_done_callback(lambda _: steps.put_nowait(last))
        try:
            while (step := await steps.get()) is not last:
                yield step
            yield await self._found(_result(reading), by)
        finally:
            reading.cancel()

    async def _found(self, found: Verification, by: Principal) -> VerificationProgress:
        await self._events.record("history.verified", "", by.name, data=found.model_dump(mode="json"))
        return VerificationProgress(done=found.events, total=found.events, found=found)


def _result(reading: asyncio.Task[Verification]) -> Verification:
    """Return what was found: a history that cannot be read to its end is not intact."""
    try:
        return reading.result()
    except HistoryError as error:
        return Verification(events=0, intact=False, problem=f"it cannot be read to its end: {error.title}")
