"""How words are looked up in code, files and output, by the index of texts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence

from engine.history.search.query.tree import Exact, Value, Wild
from engine.history.store.sql.indexed_text import ROLES
from engine.history.store.sql.where import Where

KEPT = 100_000
"""Numbers of texts that are held while cases are looked at."""
_MATCHES = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? LIMIT ?"
_AMONG = "blob IN (SELECT value FROM json_each(?))"
_IN_SET = "EXISTS (SELECT 1 FROM case_blobs WHERE case_blobs.case_n = cases.n AND {}(case_blobs.blob){})"
_PROBED = (
    "EXISTS (SELECT 1 FROM case_blobs CROSS JOIN fulltext "
    "WHERE case_blobs.case_n = cases.n AND fulltext.rowid = case_blobs.blob AND fulltext MATCH ?{})"
)


def text_leaf(connection: sqlite3.Connection, field: str, value: Value, name: str) -> tuple[Where, Where]:
    """Return a query for the cases that use a text with these words, and a condition on a case.

    `name` is that of an SQL function that no other text of the query uses.
    """
    words, role = phrase(value), ROLES[field]
    blobs = [blob for (blob,) in connection.execute(_MATCHES, (words, KEPT + 1))]
    if len(blobs) > KEPT:
        probed = Where(_PROBED.format(role), (words,))
        every = "SELECT rowid FROM fulltext WHERE fulltext MATCH ?"
        return Where(f"SELECT case_n FROM case_blobs WHERE blob IN ({every}){role}", (words,)), probed
    listed = json.dumps(blobs)
    connection.create_function(name, 1, _among(blobs))
    cases = Where(f"SELECT case_n FROM case_blobs WHERE {_AMONG}{role}", (listed,))
    return cases, Where(_IN_SET.format(name, role))


def _among(blobs: Sequence[int]) -> Callable[[int], bool]:
    return frozenset(blobs).__contains__


def phrase(value: Value) -> str:
    """Return a text as FTS5 is asked for it."""
    starts = isinstance(value, Wild)
    text = value.parts[0] if isinstance(value, Wild) else value.text if isinstance(value, Exact) else ""
    quoted = text.replace('"', '""')
    return f'"{quoted}" *' if starts else f'"{quoted}"'
