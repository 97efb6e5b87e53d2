"""What the history is asked, each question on a connection that cannot write."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.history.chain import chain
from engine.history.search.facets import facets as count
from engine.history.search.filter import Term, parse
from engine.history.search.trends import trends
from engine.history.store.sqlite import queries
from engine.history.store.sqlite.erasures import erasures, output_gone
from engine.history.store.sqlite.reader import Reader
from engine.models import Case, Erasure, Event, Facets, Meters, OutputChunk, Summary, Trends


class Questions:
    """What reads the history and changes nothing."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def artifact(self, run: str, name: str) -> bytes:
        """Return a file that a run left, by its name or digest.

        Raises:
            KeyError: it left none.
            ErasedError: retention has erased it.
        """
        return await self._reader.do(lambda connection: queries.artifact(connection, run, name))

    async def case(self, id: str) -> Case | None:
        """Return the case with this id, code and files included, or None."""
        return await self._reader.do(lambda connection: queries.case(connection, id))

    async def open_cases(self) -> tuple[Case, ...]:
        """Return the cases that are waiting, queued or running, the oldest first."""
        return await self._reader.do(queries.open_cases)

    async def summaries(
        self,
        filter: str = "",
        before: str | None = None,
        limit: int = 200,
        *,
        requester: str | None = None,
    ) -> tuple[Summary, ...]:
        """Return a line for each case that `filter` lets through and that is older than the id `before`.

        With `requester` only those come that this principal asked for.
        """
        terms = parse(filter, datetime.now(UTC))
        if requester is not None:
            terms += (Term("requester", "is", (requester,)),)
        return await self._reader.do(lambda connection: queries.summaries(connection, terms, before, limit))

    async def facets(self, filter: str = "") -> Facets:
        """Count the cases that `filter` lets through, by risk, status, kill, language, day and requester.

        Raises:
            AuditError: the filter cannot be understood, or counting took too long.
        """
        terms = parse(filter, datetime.now(UTC))
        return await self._reader.do(lambda connection: count(connection, terms))

    async def trends(self, since: datetime) -> Trends:
        """Return figures about the cases submitted from `since` on: kills, times to decide, who asks most."""
        return await self._reader.do(lambda connection: trends(connection, chain.stamp(since)))

    async def events(
        self, since: int = 0, subject: str | None = None, limit: int = 1000
    ) -> tuple[Event, ...]:
        """Return the events after number `since`, in order: all of them, or those of one subject."""
        return await self._reader.do(lambda connection: queries.events(connection, since, subject, limit))

    async def read_output(self, run: str, offset: int = 0, limit: int = 1 << 20) -> tuple[OutputChunk, ...]:
        """Return the output of a run from byte `offset` on, at most `limit` bytes."""
        return await self._reader.do(lambda connection: queries.output(connection, run, offset, limit))

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        """Return what the rules of retention have erased of a submission, and by which rule."""
        return await self._reader.do(lambda connection: erasures(connection, id))

    async def output_gone(self, id: str) -> tuple[str, bool]:
        """Return the rule by which output of a run was erased, if any was, and whether some is there."""
        return await self._reader.do(lambda connection: output_gone(connection, id))

    async def read_meters(self, run: str) -> tuple[Meters, ...]:
        """Return all samples of a run."""
        return await self._reader.do(lambda connection: queries.meters(connection, run))
