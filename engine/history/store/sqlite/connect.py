"""How a connection to a history in a SQLite file is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from engine.common.local_files import private_folder
from engine.history.errors import HistoryError
from engine.history.store.sqlite import schema
from engine.history.store.sqlite.dialect import SqliteConnection


def open_writer(path: Path) -> SqliteConnection:
    """Open the history for writing, and make it, mode 0600, where there is none.

    Raises:
        HistoryError: it is from a newer version, or it is something else's database.
        sqlite3.Error: it cannot be opened or is no database.
    """
    _create_private(path)
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=5.0, factory=SqliteConnection
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -16384")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN IMMEDIATE")
        _prepare(connection, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, give_up: Callable[[], bool]) -> SqliteConnection:
    """Open the history read-only; a query ends with an error once `give_up` returns True.

    Raises:
        HistoryError: it is of another format, or another program's database.
        sqlite3.Error: it cannot be opened, or is no database.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        factory=SqliteConnection,
    )
    try:
        connection.execute("PRAGMA query_only = ON")
        _check_format(connection, path)
    except BaseException:
        connection.close()
        raise
    connection.set_progress_handler(give_up, 20_000)
    return connection


def _refuse_triggers(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database that does more than store what it is given."""
    row = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    ).fetchone()
    if row:
        raise HistoryError(
            f"The history {path} was changed: it has the {row[0]} {row[1]!r}",
            hint=f"Put it back from a backup, or: mv {path} {path}.changed",
        )


def _create_private(path: Path) -> None:
    try:
        private_folder(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise HistoryError(
            f"The history {path} cannot be opened: {error.strerror}",
            hint=f"Look at: ls -ld {path.parent} {path}",
        ) from None


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables of an empty database, or upgrade those of an older format."""
    if _is_empty(connection):
        for statement in schema.TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
    else:
        for older in range(_check_format(connection, path), schema.VERSION):
            for statement in schema.UPGRADES[older]:
                connection.execute(statement)
        _refuse_triggers(connection, path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION}")


def _is_empty(connection: sqlite3.Connection) -> bool:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(version == 0 and tables == 0)


def _check_format(connection: sqlite3.Connection, path: Path) -> int:
    """Return the format of the database.

    Raises:
        HistoryError: this version cannot read it.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != schema.APPLICATION:
        raise HistoryError(f"{path} is not a history of Pratique", hint=f"Type: mv {path} {path}.other")
    if version < schema.OLDEST:
        aside = path.parent / f"format-{version}"
        raise HistoryError(
            f"The history {path} has format {version}, which this version cannot read "
            f"(it reads {schema.OLDEST} to {schema.VERSION})",
            hint=f"To keep it and start a new one, type: mkdir {aside} && mv {path}* {aside}",
        )
    if version > schema.VERSION:
        raise HistoryError(
            f"The history {path} has format {version}, of a newer version "
            f"(this one reads up to {schema.VERSION})",
            hint="Type: pip install --upgrade pratique, or set PRATIQUE_HOME to another folder",
        )
    return version
