"""How a filter is looked up: by its rarest term where one is rare, else from the newest case on.

SQLite, left to choose, takes seconds for what is common: it sorts all that an index finds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence

from engine.history.search.filter import Term
from engine.history.store.sqlite.search.sql import Where, condition, joined, phrase

RARE = 50_000
"""A term that fits no more cases than that is looked up first."""
USED = 100_000
"""A text that no more cases use, and no more than fit the rarest term, is looked up by its cases; a more
frequent one case by case."""
KEPT = 100_000
"""Numbers of texts that are held while cases are looked at."""
INDEXED = frozenset(
    {
        "risk",
        "status",
        "decision",
        "lang",
        "requester",
        "reviewer",
        "kill",
        "duration",
        "memory",
        "exit",
        "lines",
        "violations",
        "id",
        "digest",
    }
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM cases WHERE {} LIMIT {})"
_MATCHES = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? LIMIT ?"
_USES = (
    "SELECT count(*) FROM (SELECT 1 FROM case_blobs WHERE blob IN (SELECT value FROM json_each(?)) LIMIT ?)"
)
_CASES_OF = "n IN (SELECT case_n FROM case_blobs WHERE blob IN (SELECT value FROM json_each(?)))"
_IN_SET = "EXISTS (SELECT 1 FROM case_blobs WHERE case_blobs.case_n = cases.n AND {}(case_blobs.blob))"
_PROBED = (
    "EXISTS (SELECT 1 FROM case_blobs CROSS JOIN fulltext "
    "WHERE case_blobs.case_n = cases.n AND fulltext.rowid = case_blobs.blob AND fulltext MATCH ?)"
)


def plan(connection: sqlite3.Connection, terms: Sequence[Term]) -> Where:
    """Return the condition that all terms hold, on the table `cases`, as it is looked up fastest."""
    rarest, many = _rarest(connection, terms)
    parts = [
        _text(connection, number, term, most=min(USED, many)) if term.key == "text" else _part(term, rarest)
        for number, term in enumerate(terms)
    ]
    return joined(parts)


def _rarest(connection: sqlite3.Connection, terms: Sequence[Term]) -> tuple[Term | None, int]:
    """Return the rarest term and how many cases fit it; none, and `USED`, where none is rare."""
    counted = [
        (_count(connection, term), number, term)
        for number, term in enumerate(terms)
        if term.key in INDEXED and not term.negated
    ]
    many, _, rarest = min(counted, default=(USED, 0, None))
    return (rarest, many) if many <= RARE else (None, USED)


def _count(connection: sqlite3.Connection, term: Term) -> int:
    fits = condition(term)
    (count,) = connection.execute(_COUNT.format(fits.sql, RARE + 1), fits.values).fetchone()
    return int(count)


def _part(term: Term, rarest: Term | None) -> Where:
    if term is rarest:
        fits = condition(term)
        return Where(f"n IN (SELECT n FROM cases WHERE {fits.sql})", fits.values)
    return condition(term, unindexed=True)


def _text(connection: sqlite3.Connection, number: int, term: Term, *, most: int) -> Where:
    found = _holding(connection, number, term, most)
    return Where(f"NOT {found.sql}", found.values) if term.negated else found


def _holding(connection: sqlite3.Connection, number: int, term: Term, most: int) -> Where:
    """Look a text up by its cases where they are few, else by whether a case uses it."""
    words = phrase(term)
    blobs = [blob for (blob,) in connection.execute(_MATCHES, (words, KEPT + 1))]
    if len(blobs) > KEPT:
        return Where(_PROBED, (words,))
    listed = json.dumps(blobs)
    (uses,) = connection.execute(_USES, (listed, most + 1)).fetchone()
    if uses <= most:
        return Where(_CASES_OF, (listed,))
    name = f"holds_{number}"
    connection.create_function(name, 1, _among(blobs))
    return Where(_IN_SET.format(name), ())


def _among(blobs: Sequence[int]) -> Callable[[int], bool]:
    return frozenset(blobs).__contains__
