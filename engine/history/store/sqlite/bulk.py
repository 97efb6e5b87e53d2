"""Writing many records at once into an empty history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.history.store.sql import cases
from engine.history.store.sql.connection import SqlConnection


@contextmanager
def bulk_writing(connection: SqlConnection) -> Iterator[None]:
    """Write without a journal; create indexes and counts at the end. A crash leaves no usable file."""
    indexes = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
    listed = indexes.fetchall()
    for pragma in ("synchronous = OFF", "journal_mode = OFF", "cache_size = -200000"):
        connection.execute(f"PRAGMA {pragma}")
    for name, _ in listed:
        connection.execute(f"DROP INDEX {name}")
    yield
    for _, sql in listed:
        connection.execute(sql)
    cases.count_all(connection)
    connection.execute("PRAGMA journal_mode = WAL")
