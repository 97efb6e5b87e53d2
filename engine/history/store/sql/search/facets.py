"""How many cases there are of each kind, among those that a filter lets through."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from engine.history.search.query.tree import Query, matches_of
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.search.planner import by_columns, plan
from engine.history.store.sql.where import Where
from engine.models import Facets

KINDS = ("risk", "status", "kill", "lang", "day", "requester", "reviewer")
COUNTED = frozenset({"risk", "status", "kill", "lang", "decision"})
"""Keys that the daily counts have: filters of these alone are counted without looking at cases."""
CAP = 10_000
"""Other filters are counted over so many of the newest cases at most."""
LEAST = 1000
"""So many are counted however long it takes."""
SECONDS = 0.12
"""Beyond that, no more are counted than are found within this time."""
SHOWN = 31
"""How many values of one kind are returned: the most frequent ones, of days the latest."""

_COUNTS = "risk, status, kill_reason, language, day, count"
_ROW = "risk, status, kill_reason, language, substr(submitted_at, 1, 10), requester, reviewer"


def facets(connection: SqlConnection, query: Query) -> Facets:
    """Return the counts; `exact` is False where more cases fit than were counted."""
    if {match.field for match in matches_of(query)} <= COUNTED:
        return _counted(connection, by_columns(connection.dialect, query))
    fits = plan(connection, query)
    sql = f"SELECT {_ROW} FROM cases WHERE {fits.sql} ORDER BY n DESC LIMIT {CAP + 1}"
    with contextlib.closing(connection.execute(sql, fits.values)) as found:
        rows, exact = _newest(found)
    counters = [Counter(values) for values in zip(*rows, strict=True)]
    return _facets(len(rows), counters, exact=exact)


def _newest(found: Iterable[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], bool]:
    """Return the rows that are counted, and whether they are all."""
    begun, rows = time.monotonic(), list[tuple[str, ...]]()
    for row in found:
        if len(rows) >= CAP or (len(rows) >= LEAST and time.monotonic() - begun > SECONDS):
            return rows, False
        rows.append(row)
    return rows, True


def _counted(connection: SqlConnection, fits: Where) -> Facets:
    rows = connection.execute(f"SELECT {_COUNTS} FROM daily_counts WHERE {fits.sql}", fits.values).fetchall()
    counters = [Counter[str]() for _ in KINDS[:-2]]
    for *values, count in rows:
        for counter, value in zip(counters, values, strict=True):
            counter[value] += count
    requesters = connection.execute(
        f"SELECT requester, sum(count) FROM requester_counts WHERE {fits.sql} "
        f"GROUP BY requester ORDER BY 2 DESC LIMIT {SHOWN}",
        fits.values,
    )
    names = Counter(dict(requesters.fetchall()))
    return _facets(sum(row[-1] for row in rows), [*counters, names], exact=True)


def _facets(total: int, counters: Sequence[Counter[str]], *, exact: bool) -> Facets:
    """Put the counts of the `KINDS` together, without what there is none of."""
    counts: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
    for kind, counter in zip(KINDS, counters, strict=False):
        found = {value: count for value, count in counter.most_common() if value and count > 0}
        listed = sorted(found.items(), reverse=True) if kind == "day" else found.items()
        counts[kind] = dict(islice(listed, SHOWN))
    return Facets(total=total, exact=exact, counts=counts)
