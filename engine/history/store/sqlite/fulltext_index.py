"""The full-text index over code, files and output: filled when nothing else waits to be written."""

from __future__ import annotations

import sqlite3

from engine.history.store.sql.indexed_text import AT_ONCE, text_of

PAGES = 500
"""So many pages of the index are merged at once."""
WROTE = 2
"""So many changes SQLite counts at least where it merged something."""


def index_some(connection: sqlite3.Connection) -> bool:
    """Index the next contents, and return whether there may be more."""
    (last,) = connection.execute("SELECT indexed FROM fulltext_progress").fetchone()
    rows = connection.execute(
        "SELECT n, body FROM blobs WHERE n > ? ORDER BY n LIMIT ?", (last, AT_ONCE)
    ).fetchall()
    if rows:
        connection.executemany(
            "INSERT INTO fulltext (rowid, text) VALUES (?, ?)",
            [(n, text_of(body)) for n, body in rows if body],
        )
        connection.execute("UPDATE fulltext_progress SET indexed = ?", (rows[-1][0],))
    return len(rows) == AT_ONCE


def forget(connection: sqlite3.Connection, number: int, body: bytes) -> None:
    """Take a content out of the index, before it is erased."""
    (last,) = connection.execute("SELECT indexed FROM fulltext_progress").fetchone()
    if number <= last:
        connection.execute(
            "INSERT INTO fulltext (fulltext, rowid, text) VALUES ('delete', ?, ?)", (number, text_of(body))
        )


def merge_some(connection: sqlite3.Connection, *, begin: bool) -> bool:
    """Write some pages of the index anew, without words that were taken out; return whether there are more.

    `begin` begins to make one of all its parts; later calls go on with that.
    """
    before = connection.total_changes
    pages = -PAGES if begin else PAGES
    connection.execute("INSERT INTO fulltext (fulltext, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes - before >= WROTE
