"""A history as `kill -9` leaves it, and what somebody without the key does to it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.chain import chain
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Verification
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

ALICE, MALLORY = Untrusted("alice"), Untrusted("mallory")
SETTINGS = HistorySettings(batch_milliseconds=5, checkpoint_events=10)


async def fill(store: HistoryStore, count: int) -> None:
    """Append so many events, one of them with a case."""
    await store.append("claim.created", "s1", ALICE, {}, case=build_case("s1"))
    for number in range(count - 1):
        await store.append("history.viewed", "", ALICE, {"n": number})


def snapshot(path: Path, to: Path) -> Path:
    """Copy the folder of an open history as it is on disk: what a killed engine leaves."""
    shutil.copytree(path.parent, to)
    return to / path.name


async def killed(folder: Path, count: int, witness: Path | None = None) -> Path:
    """Return the history of an engine that was killed after so many events, with its write-ahead log."""
    path = folder / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, count)
    copy = snapshot(path, folder / "killed")
    kept = witness.read_bytes() if witness else b""
    await store.close()
    if witness:
        witness.write_bytes(kept)
    return copy


async def verified(
    path: Path, witness: Path | None = None, *, resume: bool = False, more: int = 0
) -> Verification:
    """Open the history as the next engine does, append some more, and verify it."""
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    try:
        for number in range(more):
            await store.append("history.viewed", "", ALICE, {"more": number})
        return await store.verify(resume=resume)
    finally:
        await store.close()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[SqliteConnection]:
    """Open the database behind the engine's back, and leave no write-ahead log."""
    with contextlib.closing(
        sqlite3.connect(path, isolation_level=None, factory=SqliteConnection)
    ) as connection:
        yield connection
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def records(connection: SqliteConnection, after: int = 0) -> list[tuple[Any, ...]]:
    """Return the rows of the records."""
    return connection.execute(
        f"SELECT {chain.COLUMNS} FROM events WHERE seq > ? ORDER BY seq", (after,)
    ).fetchall()


def rechain(connection: SqliteConnection, first: int, **changed: str) -> None:
    """Change the record `first`, and compute the chain anew from there, as anybody can."""
    rows = records(connection, first - 1)
    previous = rows[0][6]
    for row in rows:
        values = dict(zip(("seq", "at", "type", "subject", "actor", "data"), row[:6], strict=True))
        values |= changed if row[0] == first else {}
        record = chain.link(previous=previous, **values)
        connection.execute("DELETE FROM events WHERE seq = ?", (row[0],))
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", record)
        previous = record.hash


def cut(connection: SqliteConnection, to: int) -> None:
    """Remove all records after the number `to`."""
    connection.execute("DELETE FROM events WHERE seq > ?", (to,))
