"""A history in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import IO

from engine.history.errors import HistoryError
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sqlite import connect
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.errors import explain
from engine.history.store.sqlite.lock import take_lock


class SqliteDatabase:
    """Implements SqlDatabase."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The file, beside which the key and the checkpoints lie."""
        return self._path

    @property
    def file(self) -> Path:
        """The file that another process can verify."""
        return self._path

    @property
    def name(self) -> str:
        """What people are told that did not answer."""
        return f"The disk that holds {self._path}"

    def lock(self) -> IO[bytes]:
        """Return the lock that one engine holds on the file."""
        return take_lock(self._path)

    def writer(self) -> SqliteConnection:
        """Open the file for writing, and make it where there is none."""
        return connect.open_writer(self._path)

    def reader(self, give_up: Callable[[], bool]) -> SqliteConnection:
        """Open the file read-only; a query ends with an error once `give_up` returns True."""
        return connect.open_reader(self._path, give_up)

    def explain(self, error: Exception) -> HistoryError:
        """Return what an error means, and what to type next."""
        if not isinstance(error, (sqlite3.Error, OSError)):
            raise TypeError(f"{error!r} is no error of SQLite")
        return explain(error, self._path)


def open_source(path: Path) -> SqlSource:
    """Open the history at `path` for verification, read-only."""
    return SqlSource(connect.open_reader(path, lambda: False), path)
