"""How a query is looked up: by its rare parts where there are some, else from the newest case on.

SQLite, left to choose, takes seconds for what is common: it sorts all that an index finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.history.search.query.tree import And, FieldMatch, Not, Or, Query, parts_of
from engine.history.store.sql.connection import Dialect, SqlConnection
from engine.history.store.sql.search.column_conditions import column_condition
from engine.history.store.sql.search.leaves import leaf
from engine.history.store.sql.where import Leaf, Where, joined

RARE = 50_000
"""What finds no more cases than that is looked up by them."""


def plan(connection: SqlConnection, query: Query) -> Where:
    """Return the condition that a query holds, on the table `cases`, as it is looked up fastest."""
    return _Plan(connection).where(query)


def by_columns(dialect: Dialect, query: Query) -> Where:
    """Return the condition that a query of columns alone holds, on any table that has them."""
    if isinstance(query, FieldMatch):
        return column_condition(dialect, query, unindexed=True)
    return _combined(query, [by_columns(dialect, part) for part in parts_of(query)])


def _combined(query: Query, parts: list[Where]) -> Where:
    if isinstance(query, Not):
        return Where(f"NOT coalesce({parts[0].sql}, FALSE)", parts[0].values)
    return joined(parts, "AND" if isinstance(query, And) else "OR")


class _Found(NamedTuple):
    """Cases among which are all that fit; `rest` is what they still have to be asked, None if nothing."""

    numbers: frozenset[int]
    rest: Query | None = None


class _Plan:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection
        self._leaves: dict[FieldMatch, Leaf] = {}
        self._numbers: dict[FieldMatch, frozenset[int] | None] = {}

    def where(self, query: Query) -> Where:
        found = self._find(query)
        if found is None:
            return self._probe(query)
        listed = self._connection.dialect.among("n", list(found.numbers))
        return joined([listed, self._probe(found.rest)], "AND") if found.rest else listed

    def _find(self, query: Query) -> _Found | None:
        """Return the cases that fit where they are few; None where they are many, or were not looked up."""
        if isinstance(query, FieldMatch):
            numbers = self._rare(query)
            return None if numbers is None else _Found(numbers)
        if isinstance(query, And):
            return self._all(query.parts)
        return self._any(query.parts) if isinstance(query, Or) else None

    def _all(self, parts: Iterable[Query]) -> _Found | None:
        """Intersect what is rare; the rest is asked of what is left."""
        found: frozenset[int] | None = None
        rest: list[Query] = []
        for part in parts:
            some = self._find(part)
            if some is None:
                rest.append(part)
                continue
            found = some.numbers if found is None else found & some.numbers
            rest += [some.rest] if some.rest else []
        return None if found is None else _Found(found, And(tuple(rest)) if rest else None)

    def _any(self, parts: tuple[Query, ...]) -> _Found | None:
        each = [self._find(part) for part in parts]
        known = [some for some in each if some is not None]
        if len(known) < len(each):
            return None
        numbers = frozenset[int]().union(*(some.numbers for some in known))
        return _Found(numbers, Or(parts) if any(some.rest for some in known) else None)

    def _rare(self, match: FieldMatch) -> frozenset[int] | None:
        """Return the numbers of the cases that fit, None where they are many."""
        if match not in self._numbers:
            leaf = self._leaf(match)
            self._numbers[match] = None if leaf.common else self._fetched(leaf.cases)
        return self._numbers[match]

    def _fetched(self, cases: Where) -> frozenset[int] | None:
        rows = self._connection.execute(f"{cases.sql} LIMIT {RARE + 1}", cases.values).fetchall()
        return None if len(rows) > RARE else frozenset(number for (number,) in rows)

    def _probe(self, query: Query) -> Where:
        if isinstance(query, FieldMatch):
            return self._leaf(query).probe
        return _combined(query, [self._probe(part) for part in parts_of(query)])

    def _leaf(self, match: FieldMatch) -> Leaf:
        if match not in self._leaves:
            self._leaves[match] = leaf(self._connection, match, len(self._leaves))
        return self._leaves[match]
