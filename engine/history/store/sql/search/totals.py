"""How many cases fit a query, and how many of them have each value of a field."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Sequence

from engine.history.search.query.errors import QueryError, suggestion
from engine.history.search.query.fields import ALIASES, FIELDS
from engine.history.search.query.tree import Query
from engine.history.store.sql.connection import Cursor, SqlConnection
from engine.history.store.sql.search.column_conditions import COLUMNS
from engine.history.store.sql.search.planner import plan
from engine.models.history import Counts, Total

SECONDS = 0.12
"""Beyond that, no more are counted."""
MOST = 20_000
"""Values of so many of the newest cases are counted."""
SHOWN = 50
_STEP = 250


def total(connection: SqlConnection, query: Query) -> Total:
    """Return how many cases fit: exactly, or at least so many where counting them takes too long."""
    fits = plan(connection, query)
    begun, count = time.monotonic(), 0
    with contextlib.closing(connection.execute(f"SELECT 1 FROM cases WHERE {fits.sql}", fits.values)) as rows:
        while some := rows.fetchmany(_STEP):
            count += len(some)
            if time.monotonic() - begun > SECONDS:
                return Total(count=count, exact=False)
    return Total(count=count, exact=True)


def counts(connection: SqlConnection, query: Query, field: str) -> Counts:
    """Return how many cases that fit have each value of a field, the most frequent first.

    Raises:
        QueryError: the field has no values that can be counted.
    """
    name = ALIASES.get(field.lower(), field.lower())
    known = FIELDS.get(name)
    if known is None or not (known.facts or name in COLUMNS) or known.units:
        problem = f"Nothing is counted by {name[:40]!r}"
        raise QueryError(
            field, 0, problem, hint=suggestion(name, [each for each in FIELDS if FIELDS[each].facts])
        )
    fits = plan(connection, query)
    column = COLUMNS.get(name, "n")
    sql = f"SELECT {column} FROM cases WHERE {fits.sql} ORDER BY n DESC LIMIT ?"
    with contextlib.closing(connection.execute(sql, (*fits.values, MOST + 1))) as rows:
        found, exact = _counted(rows, connection, () if name in COLUMNS else known.facts)
    shown = sorted(found.items(), key=lambda one: (-one[1], one[0]))[:SHOWN]
    return Counts(field=name, exact=exact, counts=dict(shown))


def _counted(rows: Cursor, connection: SqlConnection, facts: Sequence[str]) -> tuple[Counter[str], bool]:
    """Count values of a column, or of the facts of cases by their numbers; say whether all were counted."""
    begun, counter, done = time.monotonic(), Counter[str](), 0
    while some := [value for (value,) in rows.fetchmany(_STEP)]:
        if done >= MOST or time.monotonic() - begun > SECONDS:
            return counter, False
        done += len(some)
        counter.update(_facts(connection, facts, some) if facts else _column(some))
    return counter, True


def _column(values: Sequence[object]) -> Counter[str]:
    return Counter(str(value) for value in values if value not in (None, ""))


def _facts(connection: SqlConnection, facts: Sequence[str], numbers: Sequence[int]) -> Counter[str]:
    counted = connection.dialect.counted_facts(facts, numbers)
    return Counter(dict(connection.execute(counted.sql, counted.values).fetchall()))
