"""Copies a history from its SQLite file into an empty PostgreSQL database: all of it or nothing."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

from engine.common.local_files import new_file, sync_folder
from engine.history.api import ProgressCallback
from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.moved import moved_file
from engine.history.store.postgres.connection import PostgresConnection
from engine.history.store.postgres.database import PostgresDatabase
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql import tree
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.facts.index import index_some as index_facts
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sql.writer import checkpoints_of, open_ledger
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.database import SqliteDatabase
from engine.history.store.sqlite.errors import explain
from engine.history.store.sqlite.lock import take_lock
from engine.history.verify.verifier import verify
from engine.history.witness import checkpoint_file
from engine.models import Verification
from engine.settings import HistorySettings

TABLES = (
    "events", "signed_head", "subtrees", "blobs", "cases", "case_states", "case_blobs",
    "daily_counts", "requester_counts",
)  # fmt: skip
"""What is copied; the indexes for the search are made anew, as words are found differently there."""
ROWS = 1000
"""Rows that are read at once."""
EVENTS = 10_000
"""Events whose facts are indexed at once."""


class Migrated(NamedTuple):
    """What verifying the copy found, and whether it was there already, from an attempt that was cut off."""

    verification: Verification
    already: bool = False


def copy_history(path: Path, url: str, progress: ProgressCallback | None = None) -> Migrated:
    """Copy the history at `path` into the database at `url`; verify it before, and the copy before it counts.

    Afterwards no engine writes the file any more. What is cut off leaves the database as it was.

    Raises:
        HistoryError: an engine runs, there is no intact history, or the database holds another one.
    """
    server = ServerUrl(url)
    if not path.exists():
        raise HistoryError(f"There is no history at {path}", hint="Set history.database, and start an engine")
    if moved_file(path).exists():
        raise HistoryError(f"The history {path} was copied already", hint=f"Look at: cat {moved_file(path)}")
    with contextlib.closing(take_lock(path)):
        found = _verified_source(path, progress)
        database = PostgresDatabase(server, path)
        with contextlib.closing(database.lock()), contextlib.closing(database.writer()) as target:
            try:
                done = _copy(path, target, found, progress)
            except sqlite3.Error as error:
                raise explain(error, path) from None
            except database.errors as error:
                raise database.explain(error) from None
        _mark(path, server)
    return done


def _verified_source(path: Path, progress: ProgressCallback | None) -> Verification:
    """Bring the file to the format of this version, and verify it."""
    try:
        open_ledger(SqliteDatabase(path), HistorySettings()).connection.close()
        with contextlib.closing(open_reader(path, lambda: False)) as reader:
            found = _verify(path, SqlSource(reader, path), progress)
    except sqlite3.Error as error:
        raise explain(error, path) from None
    _require_intact(found, f"The history {path}")
    return found


def _copy(
    path: Path, target: PostgresConnection, found: Verification, progress: ProgressCallback | None
) -> Migrated:
    with contextlib.closing(open_reader(path, lambda: False)) as source:
        if tree.head(target)[0]:
            return _compared(path, source, target)
        target.execute("SET idle_in_transaction_session_timeout = 0")
        target.begin(None)
        for table in TABLES:
            _copy_table(table, source, target)
        while target.dialect.index_texts() | index_facts(target, EVENTS):
            pass
        copied = _verify(path, SqlSource(target), progress)
        _require_intact(copied, "The copy")
        if (copied.events, tree.head(target)) != (found.events, tree.head(source)):
            raise HistoryError("The copy is another history than the file, and nothing was copied")
        target.execute("COMMIT")
    return Migrated(copied)


def _compared(path: Path, source: SqlConnection, target: PostgresConnection) -> Migrated:
    """Return what an earlier attempt has copied, where it is this history to its last record."""
    if tree.head(target) != tree.head(source):
        raise HistoryError(
            "There is another history in the database already, or this one went on there",
            hint="Name an empty database, or set history.database to go on with that history",
        )
    copied = _verify(path, SqlSource(target), None)
    _require_intact(copied, "The copy of an earlier attempt")
    return Migrated(copied, already=True)


def _copy_table(table: str, source: SqlConnection, target: PostgresConnection) -> None:
    columns = [name for _, name, *_ in source.execute(f"PRAGMA table_info({table})")]
    rows = source.execute(f"SELECT {', '.join(columns)} FROM {table}")
    target.copy_rows(table, columns, iter(lambda: rows.fetchmany(ROWS), []))


def _verify(path: Path, source: SqlSource, progress: ProgressCallback | None) -> Verification:
    key = signing_key(path.with_suffix(".key")).public_key()
    return verify(source, checkpoint_file.notes(checkpoints_of(path)), key, progress)


def _require_intact(found: Verification, what: str) -> None:
    if not found.intact:
        raise HistoryError(
            f"{what} is not intact, and nothing was copied: {found.problem}",
            hint="Type: pratique audit verify",
        )


def _mark(path: Path, server: ServerUrl) -> None:
    """Note beside the file that the history goes on elsewhere: two that do would be two histories."""
    with new_file(moved_file(path)) as file:
        file.write(f"{server}\n".encode())
    sync_folder(path.parent)
