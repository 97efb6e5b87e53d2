"""The write-ahead log of a history in SQLite."""

from __future__ import annotations

import sqlite3
import time

from engine.history.errors import HistoryError

WAIT_SECONDS = 10.0
"""How long readers of older pages are waited for."""


def empty_log(connection: sqlite3.Connection) -> None:
    """Put the log into the database and cut it to nothing, once nobody reads older pages.

    Raises:
        HistoryError: something read them all the time.
    """
    end = time.monotonic() + WAIT_SECONDS
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > end:
            raise HistoryError("The write-ahead log could not be emptied: something reads the history")
        time.sleep(0.05)
