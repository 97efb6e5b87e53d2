"""Recorded values of a field, for the completion of a query."""

from __future__ import annotations

from engine.history.search.query.fields import FIELDS
from engine.history.search.query.tree import Wild
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.search.column_conditions import COLUMNS, among
from engine.history.store.sql.where import Where

MOST = 20
_NAMES = frozenset({"requester", "reviewer"})
"""Columns with few values."""


def values(connection: SqlConnection, field: str, begun: str) -> tuple[str, ...]:
    """Return recorded values of a field that begin so, in order; none for numbers, times and texts."""
    known = FIELDS.get(field)
    pattern = (Wild((begun, "")),)
    if known is None:
        return ()
    if field in _NAMES:
        fits = among(connection.dialect, COLUMNS[field], pattern)
        return _listed(connection, f"SELECT DISTINCT {COLUMNS[field]} FROM cases", fits)
    if not known.facts or known.choices or field == "decided":
        return ()
    fits = among(connection.dialect, "value", pattern)
    inside = Where(
        f"field IN ({', '.join('?' * len(known.facts))}) AND {fits.sql}", (*known.facts, *fits.values)
    )
    return _listed(connection, "SELECT DISTINCT value FROM fact_values", inside)


def _listed(connection: SqlConnection, select: str, fits: Where) -> tuple[str, ...]:
    rows = connection.execute(f"{select} WHERE {fits.sql} ORDER BY 1 LIMIT {MOST}", fits.values)
    return tuple(str(value) for (value,) in rows)
