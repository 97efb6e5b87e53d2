"""Recorded values of a field, for the completion of a query."""

from __future__ import annotations

import sqlite3

from engine.history.search.query.fields import FIELDS
from engine.history.search.query.tree import Wild
from engine.history.store.sqlite.search.sql import COLUMNS, Where, among

MOST = 20
_NAMES = frozenset({"requester", "reviewer"})
"""Columns with few values."""


def values(connection: sqlite3.Connection, field: str, begun: str) -> tuple[str, ...]:
    """Return recorded values of a field that begin so, in order; none for numbers, times and texts."""
    known = FIELDS.get(field)
    pattern = (Wild((begun, "")),)
    if known is None:
        return ()
    if field in _NAMES:
        fits = among(COLUMNS[field], pattern)
        return _listed(connection, f"SELECT DISTINCT {COLUMNS[field]} FROM cases", fits)
    if not known.facts or known.choices or field == "decided":
        return ()
    fits = among("value", pattern)
    inside = Where(
        f"field IN ({', '.join('?' * len(known.facts))}) AND {fits.sql}", (*known.facts, *fits.values)
    )
    return _listed(connection, "SELECT DISTINCT value FROM fact_values", inside)


def _listed(connection: sqlite3.Connection, select: str, fits: Where) -> tuple[str, ...]:
    rows = connection.execute(f"{select} WHERE {fits.sql} ORDER BY 1 LIMIT {MOST}", fits.values)
    return tuple(str(value) for (value,) in rows)
