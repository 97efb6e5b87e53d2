"""Reads a history, each query on a connection that cannot write."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.history.chain import chain
from engine.history.search.query.parser import parse
from engine.history.search.query.tree import Exact, FieldMatch, all_of
from engine.history.store.sql import queries
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.erasing.case import erasable
from engine.history.store.sql.erasing.erasures import erased_output, erasures
from engine.history.store.sql.erasing.person import acts_of, said_by
from engine.history.store.sql.erasing.records import erasure_events
from engine.history.store.sql.search.facets import facets as count
from engine.history.store.sql.search.order import order_of
from engine.history.store.sql.search.totals import counts, total
from engine.history.store.sql.search.trends import memory_kills, trends
from engine.history.store.sql.search.values import values
from engine.models import Case, Erasure, Event, Facets, Meters, OutputChunk, Summary, Trends
from engine.models.erasing.erasure import Erased, ErasureOrder
from engine.models.history import Counts, Total

SCAN_SECONDS = 300.0
"""How long a question may take that reads every event."""


class SqlHistoryReader:
    """A HistoryReader over the connections of a pool."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    async def case(self, id: str) -> Case | None:
        """Return the case with this id, code and files included, or None."""
        return await self._connections.do(lambda connection: queries.case(connection, id))

    async def open_cases(self) -> tuple[Case, ...]:
        """Return the cases that are pending, queued or running, the oldest first."""
        return await self._connections.do(queries.open_cases)

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
        order = order_of(sort)
        query = parse(filter, datetime.now(UTC))
        if requester is not None:
            query = all_of((FieldMatch("requester", (Exact(requester),)), query))
        return await self._connections.do(
            lambda connection: queries.summaries(connection, query, before, limit, order)
        )

    async def facets(self, filter: str = "") -> Facets:
        """Count the cases that match `filter` by risk, status, kill reason, language, day and requester.

        Raises:
            HistoryError: the filter is invalid, or counting took too long.
        """
        query = parse(filter, datetime.now(UTC))
        return await self._connections.do(lambda connection: count(connection, query))

    async def total(self, filter: str = "") -> Total:
        """Return how many cases match `filter`: exactly, or at least so many."""
        query = parse(filter, datetime.now(UTC))
        return await self._connections.do(lambda connection: total(connection, query))

    async def counts(self, filter: str, field: str) -> Counts:
        """Count the cases that match `filter` by the values of a field of the query language."""
        query = parse(filter, datetime.now(UTC))
        return await self._connections.do(lambda connection: counts(connection, query, field))

    async def values(self, field: str, begun: str) -> tuple[str, ...]:
        """Return some recorded values of a field of the query language that begin so."""
        return await self._connections.do(lambda connection: values(connection, field, begun))

    async def trends(self, since: datetime) -> Trends:
        """Return metrics of the cases submitted from `since` on."""
        return await self._connections.do(lambda connection: trends(connection, chain.stamp(since)))

    async def memory_kills(self, since: datetime) -> tuple[int, int]:
        """Return how many cases submitted from `since` on ran, and how many were killed for memory."""
        return await self._connections.do(lambda connection: memory_kills(connection, chain.stamp(since)))

    async def events(
        self, since: int = 0, subject: str | None = None, limit: int = 1000
    ) -> tuple[Event, ...]:
        """Return the events after number `since`, in order: all of them, or those of one subject."""
        return await self._connections.do(
            lambda connection: queries.events(connection, since, subject, limit)
        )

    async def output(self, run: str, offset: int = 0, limit: int = 1 << 20) -> tuple[OutputChunk, ...]:
        """Return the output of a run from byte `offset` on, at most `limit` bytes."""
        return await self._connections.do(lambda connection: queries.output(connection, run, offset, limit))

    async def meters(self, run: str) -> tuple[Meters, ...]:
        """Return all resource samples of a run."""
        return await self._connections.do(lambda connection: queries.meters(connection, run))

    async def artifact(self, run: str, name: str) -> bytes:
        """Return an artifact of a run, by its name or digest.

        Raises:
            KeyError: the run has no such artifact.
            ErasedError: retention erased it.
        """
        return await self._connections.do(lambda connection: queries.artifact(connection, run, name))

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        """Return what retention erased of a submission, and by which rule."""
        return await self._connections.do(lambda connection: erasures(connection, id))

    async def erasure_events(self, before: int | None = None, limit: int = 100) -> tuple[Event, ...]:
        """Return the events of erasures before an event's number, the newest first."""
        return await self._connections.do(lambda connection: erasure_events(connection, before, limit))

    async def erased_output(self, id: str) -> tuple[str, bool]:
        """Return the rule that erased output of a run, empty if none did, and whether some is left."""
        return await self._connections.do(lambda connection: erased_output(connection, id))

    async def erasable(self, id: str, order: ErasureOrder) -> Erased:
        """Return what an erasure would erase. Raises HistoryError: there is no such case, or it is open."""
        return await self._connections.do(lambda connection: erasable(connection, id, order))

    async def said_by(self, author: str) -> tuple[str, ...]:
        """Return the submissions about which a person decided or noted something."""
        return await self._connections.do(
            lambda connection: said_by(connection, author), seconds=SCAN_SECONDS
        )

    async def acts_of(self, name: str, since: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Return the events after number `since` of which this name is the actor."""
        return await self._connections.do(
            lambda connection: acts_of(connection, name, since, limit), seconds=SCAN_SECONDS
        )

    async def latest_checkpoint(self) -> str | None:
        """Return the last signed checkpoint, or None if there is none yet."""
        return await self._connections.do(queries.latest_checkpoint)
