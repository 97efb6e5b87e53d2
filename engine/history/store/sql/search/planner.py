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
SELECTIVE = (500, 5000)
"""A part of a conjunction that finds no more cases than that is looked up alone: they are asked the rest."""
SAMPLE = 500
"""So many of the newest cases are asked before what may be common is looked up."""
SHARE = 5
"""What one in so many of these fits is common."""


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
        self._numbers: dict[FieldMatch, frozenset[int]] = {}
        self._more_than: dict[FieldMatch, int] = {}
        """How many cases a match is known to find at least, where it finds too many."""
        self._common: dict[FieldMatch, bool] = {}

    def where(self, query: Query) -> Where:
        found = self._find(query, RARE)
        if found is None:
            return self._probe(query)
        listed = self._connection.dialect.among("n", list(found.numbers))
        return joined([listed, self._probe(found.rest)], "AND") if found.rest else listed

    def _find(self, query: Query, most: int) -> _Found | None:
        """Return the cases that fit where they are few; None where they are many, or were not looked up."""
        if isinstance(query, FieldMatch):
            numbers = self._rare(query, most)
            return None if numbers is None else _Found(numbers)
        if isinstance(query, And):
            return self._selective(query.parts, most) or self._all(query.parts, most)
        return self._any(query.parts, most) if isinstance(query, Or) else None

    def _selective(self, parts: tuple[Query, ...], most: int) -> _Found | None:
        """Return what the first part finds that finds very little; the others are asked of it."""
        for little in (size for size in SELECTIVE if size < most):
            for place, part in enumerate(parts):
                some = self._find(part, little)
                if some is not None:
                    rest = (*([some.rest] if some.rest else []), *parts[:place], *parts[place + 1 :])
                    return _Found(some.numbers, And(rest) if rest else None)
        return None

    def _all(self, parts: Iterable[Query], most: int) -> _Found | None:
        """Intersect what is rare; the rest is asked of what is left."""
        found: frozenset[int] | None = None
        rest: list[Query] = []
        for part in parts:
            some = self._find(part, most)
            if some is None:
                rest.append(part)
                continue
            found = some.numbers if found is None else found & some.numbers
            rest += [some.rest] if some.rest else []
        return None if found is None else _Found(found, And(tuple(rest)) if rest else None)

    def _any(self, parts: tuple[Query, ...], most: int) -> _Found | None:
        known: list[_Found] = []
        for part in parts:
            some = self._find(part, most)
            if some is None:
                return None
            known.append(some)
        numbers = frozenset[int]().union(*(some.numbers for some in known))
        return _Found(numbers, Or(parts) if any(some.rest for some in known) else None)

    def _rare(self, match: FieldMatch, most: int) -> frozenset[int] | None:
        """Return the numbers of the cases that fit, None where they are many."""
        known = self._numbers.get(match)
        if known is not None:
            return known if len(known) <= most else None
        if most <= self._more_than.get(match, -1) or self._is_common(match):
            return None
        cases = self._leaf(match).cases
        rows = self._connection.execute(f"{cases.sql} LIMIT {most + 1}", cases.values).fetchall()
        if len(rows) > most:
            self._more_than[match] = most
            return None
        self._numbers[match] = frozenset(number for (number,) in rows)
        return self._numbers[match]

    def _is_common(self, match: FieldMatch) -> bool:
        """Return whether a match is known to find more than is looked up, or is held for it by a sample."""
        if match not in self._common:
            leaf = self._leaf(match)
            self._common[match] = leaf.common or self._fits_often(leaf.probe)
        return self._common[match]

    def _fits_often(self, probe: Where) -> bool:
        """Return whether so many of the newest cases fit that of all cases too many do."""
        (last,) = self._connection.execute("SELECT coalesce(max(n), 0) FROM cases").fetchone()
        if last <= SHARE * RARE:
            return False
        sql = f"SELECT count(*) FROM cases WHERE n > ? AND {probe.sql}"
        (fitting,) = self._connection.execute(sql, (last - SAMPLE, *probe.values)).fetchone()
        return bool(fitting * SHARE >= SAMPLE)

    def _probe(self, query: Query) -> Where:
        if isinstance(query, FieldMatch):
            return self._leaf(query).probe
        return _combined(query, [self._probe(part) for part in parts_of(query)])

    def _leaf(self, match: FieldMatch) -> Leaf:
        if match not in self._leaves:
            self._leaves[match] = leaf(self._connection, match, len(self._leaves))
        return self._leaves[match]
