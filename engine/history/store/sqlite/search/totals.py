"""How many cases fit a query, and how many of them have each value of a field."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Sequence

from engine.history.search.query.errors import QueryError, suggestion
from engine.history.search.query.fields import ALIASES, FIELDS
from engine.history.search.query.tree import Query
from engine.history.store.sqlite.search.planner import plan
from engine.history.store.sqlite.search.sql import COLUMNS
from engine.models.history import Counts, Total

SECONDS = 0.25
"""Beyond that, no more are counted."""
MOST = 20_000
"""Values of so many of the newest cases are counted."""
SHOWN = 50
_STEP = 500
_OF_FACTS = """
SELECT fact_values.value, count(DISTINCT case_n) FROM fact_values
CROSS JOIN facts ON facts.value = fact_values.id
WHERE field IN ({}) GROUP BY fact_values.value ORDER BY 2 DESC, 1 LIMIT ?
"""
_AMONG = """
SELECT fact_values.value, count(DISTINCT case_n) FROM json_each(?) AS found
CROSS JOIN facts INDEXED BY facts_case ON case_n = found.value
CROSS JOIN fact_values ON fact_values.id = facts.value
WHERE field IN ({}) GROUP BY fact_values.value ORDER BY 2 DESC, 1 LIMIT ?
"""
_OF_COLUMN = """
SELECT {0}, count(*) FROM cases WHERE {1} AND {0} IS NOT NULL AND {0} != ''
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?
"""


def total(connection: sqlite3.Connection, query: Query) -> Total:
    """Return how many cases fit: exactly, or at least so many where counting them takes too long."""
    fits = plan(connection, query)
    begun, count = time.monotonic(), 0
    with contextlib.closing(connection.execute(f"SELECT 1 FROM cases WHERE {fits.sql}", fits.values)) as rows:
        while some := rows.fetchmany(_STEP):
            count += len(some)
            if time.monotonic() - begun > SECONDS:
                return Total(count=count, exact=False)
    return Total(count=count, exact=True)


def counts(connection: sqlite3.Connection, query: Query, field: str) -> Counts:
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
    sql = f"SELECT n FROM cases WHERE {fits.sql} ORDER BY n DESC LIMIT ?"
    numbers = [number for (number,) in connection.execute(sql, (*fits.values, MOST + 1))]
    newest = numbers[:MOST]
    if name in COLUMNS:
        among = _OF_COLUMN.format(COLUMNS[name], "n IN (SELECT value FROM json_each(?))")
        rows = connection.execute(among, (json.dumps(newest), SHOWN))
    else:
        rows = _facts(connection, known.facts, newest, everything=fits.sql == "1")
    exact = len(numbers) <= MOST or (fits.sql == "1" and bool(known.facts))
    return Counts(field=name, exact=exact, counts={str(value): many for value, many in rows})


def _facts(
    connection: sqlite3.Connection, facts: Sequence[str], numbers: Sequence[int], *, everything: bool
) -> sqlite3.Cursor:
    marks = ", ".join("?" * len(facts))
    if everything:
        return connection.execute(_OF_FACTS.format(marks), (*facts, SHOWN))
    return connection.execute(_AMONG.format(marks), (json.dumps(numbers), *facts, SHOWN))
