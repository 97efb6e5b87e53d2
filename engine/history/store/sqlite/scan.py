"""Every case there is, for questions that no index answers."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.store.sql import blobs
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.errors import explain
from engine.models import Case


def every_case(path: Path) -> Iterator[Case]:
    """Yield the cases of the history at `path`, the oldest first, with their code and without their files.

    The code of a case that retention has erased is empty.

    Raises:
        HistoryError: the file is damaged.
    """
    try:
        with contextlib.closing(open_reader(path, lambda: False)) as connection:
            for (body,) in connection.execute("SELECT body FROM case_states ORDER BY n"):
                yield _with_code(connection, Case.model_validate_json(blobs.unpack(body)))
    except sqlite3.Error as error:
        raise explain(error, path) from None


def _with_code(connection: SqlConnection, case: Case) -> Case:
    """Put the code into a case that was just read, and that nobody else has: copies would cost more."""
    draft = case.submission.draft
    code = blobs.get(connection, draft.code.text) or b""
    draft.__dict__.update(code=Untrusted(code.decode()), files=())
    return case
