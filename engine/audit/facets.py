"""How many cases there are of each kind, among those that a filter lets through."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from engine.audit.filter import Term
from engine.audit.plan import plan
from engine.audit.search import where
from engine.models import Facets

KINDS = ("risk", "status", "kill", "lang", "day", "requester")
TALLIED = frozenset({"risk", "status", "kill", "lang", "decision"})
"""Keys that the tallies know: filters of these alone are counted without looking at cases."""
CAP = 10_000
"""Other filters are counted over so many of the newest cases at most."""
SHOWN = 31
"""How many values of one kind are told, the most frequent ones; of days the latest."""

_TALLY = "risk, status, kill_reason, language, day, '' AS requester, count"
_ROWS = "risk, status, kill_reason, language, substr(submitted_at, 1, 10), requester, count(*)"


def facets(connection: sqlite3.Connection, terms: Sequence[Term]) -> Facets:
    """Return the counts; `exact` is False where more cases fit than were counted."""
    if {term.key for term in terms} <= TALLIED:
        fits = where(terms)
        rows = connection.execute(f"SELECT {_TALLY} FROM tallies WHERE {fits.sql}", fits.values).fetchall()
        names = connection.execute(
            f"SELECT requester, sum(count) FROM requesters WHERE {fits.sql} "
            f"GROUP BY requester ORDER BY 2 DESC LIMIT {SHOWN}",
            fits.values,
        ).fetchall()
        return _facets(rows, dict(names), exact=True)
    fits = plan(connection, terms)
    rows = connection.execute(
        f"SELECT {_ROWS} FROM (SELECT * FROM cases WHERE {fits.sql} ORDER BY n DESC LIMIT {CAP}) "
        "GROUP BY 1, 2, 3, 4, 5, 6",
        fits.values,
    ).fetchall()
    return _facets(rows, None, exact=sum(row[-1] for row in rows) < CAP)


def _facets(rows: Iterable[Sequence[object]], requesters: dict[str, int] | None, *, exact: bool) -> Facets:
    counters = {kind: Counter[str]() for kind in KINDS}
    total = 0
    for *values, count in rows:
        amount = int(str(count))
        total += amount
        for kind, value in zip(KINDS, values, strict=True):
            if value:
                counters[kind][str(value)] += amount
    if requesters is not None:
        counters["requester"] = Counter(requesters)
    counts = {kind: dict(counter.most_common(SHOWN)) for kind, counter in counters.items()}
    counts["day"] = dict(sorted(counters["day"].items(), reverse=True)[:SHOWN])
    return Facets(total=total, exact=exact, counts=counts)
