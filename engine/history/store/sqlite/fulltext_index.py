"""The full-text index over code, files and output: filled when nothing else waits to be written."""

from __future__ import annotations

import sqlite3

from engine.history.store.sql.indexed_text import AT_ONCE, text_of


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


def merge(connection: sqlite3.Connection) -> None:
    """Write the index as one, without the words of what was taken out of it."""
    connection.execute("INSERT INTO fulltext (fulltext) VALUES ('optimize')")
