"""How a query is looked up: by its rarest part where one is rare, else from the newest case on.

SQLite, left to choose, takes seconds for what is common: it sorts all that an index finds.
"""

from __future__ import annotations

import sqlite3

from engine.history.search.query.tree import And, FieldMatch, Not, Or, Query, parts_of
from engine.history.store.sqlite.search.leaves import Leaf, leaf
from engine.history.store.sqlite.search.sql import Where, column_condition, joined

RARE = 50_000
"""What finds no more cases than that is looked up by them."""
_ENDLESS = 1 << 62
_COUNT = "SELECT count(*) FROM ({} LIMIT {})"


def plan(connection: sqlite3.Connection, query: Query) -> Where:
    """Return the condition that a query holds, on the table `cases`, as it is looked up fastest."""
    return _Plan(connection).where(query)


def by_columns(query: Query) -> Where:
    """Return the condition that a query of columns alone holds, on any table that has them."""
    if isinstance(query, FieldMatch):
        return column_condition(query, unindexed=True)
    return _combined(query, [by_columns(part) for part in parts_of(query)])


def _combined(query: Query, parts: list[Where]) -> Where:
    if isinstance(query, Not):
        return Where(f"NOT coalesce({parts[0].sql}, 0)", parts[0].values)
    return joined(parts, "AND" if isinstance(query, And) else "OR")


class _Plan:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._leaves: dict[FieldMatch, Leaf] = {}
        self._counts: dict[FieldMatch, int] = {}

    def where(self, query: Query) -> Where:
        if self._most(query) > RARE:
            return self._probe(query)
        found = self._cases(query)
        listed = Where(f"n IN ({found.sql})", found.values)
        return listed if _is_exact(query) else joined([listed, self._probe(query)], "AND")

    def _most(self, query: Query) -> int:
        """Return how many cases fit at most; more than `RARE` is not counted further."""
        if isinstance(query, FieldMatch):
            return self._count(query)
        if isinstance(query, And):
            return min((self._most(part) for part in query.parts), default=_ENDLESS)
        if isinstance(query, Or):
            return sum(self._most(part) for part in query.parts)
        return _ENDLESS

    def _cases(self, query: Query) -> Where:
        """Return a query for numbers of cases, among which are all that fit."""
        if isinstance(query, And):
            return self._cases(min(query.parts, key=self._most))
        if isinstance(query, Or):
            parts = [self._cases(part) for part in query.parts]
            values = tuple(value for part in parts for value in part.values)
            return Where(" UNION ".join(f"SELECT * FROM ({part.sql})" for part in parts), values)
        if isinstance(query, FieldMatch):
            return self._leaf(query).cases
        raise AssertionError("a negation is never rare")

    def _probe(self, query: Query) -> Where:
        if isinstance(query, FieldMatch):
            return self._leaf(query).probe
        return _combined(query, [self._probe(part) for part in parts_of(query)])

    def _count(self, match: FieldMatch) -> int:
        if match not in self._counts:
            found = self._leaf(match).cases
            row = self._connection.execute(_COUNT.format(found.sql, RARE + 1), found.values).fetchone()
            self._counts[match] = int(row[0])
        return self._counts[match]

    def _leaf(self, match: FieldMatch) -> Leaf:
        if match not in self._leaves:
            self._leaves[match] = leaf(self._connection, match, len(self._leaves))
        return self._leaves[match]


def _is_exact(query: Query) -> bool:
    """Return whether the cases that are looked up are those that fit."""
    return isinstance(query, FieldMatch) or (isinstance(query, Or) and all(map(_is_exact, query.parts)))
