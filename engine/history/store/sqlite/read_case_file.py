"""A case file out of a history on disk, whether an engine has it open or not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.sql.case_file import case_file
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.errors import explain


def read_case_file(path: Path, id: str) -> bytes:
    """Return the case file of a submission from the history at `path`, as a zip.

    Raises:
        HistoryError: there is no history or no such submission, or something of it is missing.
    """
    if not path.exists():
        raise HistoryError(f"There is no history at {path}", hint="Type: pratique submit FILE")
    try:
        connection = open_reader(path, lambda: False)
        try:
            return case_file(connection, id, signing_key(path.with_suffix(".key")))
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise explain(error, path) from None
