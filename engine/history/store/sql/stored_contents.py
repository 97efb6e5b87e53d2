"""Whether a content is stored, and by which rule one was erased."""

from __future__ import annotations

from engine.history.store.sql.connection import SqlConnection


def erased_by(connection: SqlConnection, digest: str) -> str:
    """Return the rule of retention by which a content was erased last, or nothing where none is recorded."""
    row = connection.execute(
        "SELECT data ->> 'rule' FROM events WHERE type = 'history.erased' AND instr(data, ?) > 0 "
        "ORDER BY seq DESC LIMIT 1",
        (f'"{digest}"',),
    ).fetchone()
    return str(row[0]) if row else ""


def is_kept(connection: SqlConnection, digest: str) -> bool:
    """Return whether a content is still stored."""
    row = connection.execute(
        "SELECT body IS NOT NULL FROM blobs WHERE digest = ?", (bytes.fromhex(digest),)
    ).fetchone()
    return bool(row and row[0])
