"""A backup of a history while an engine writes it: one moment of it, its keys and its checkpoints."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sql.writer import checkpoints_of
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.errors import explain
from engine.history.verify.verifier import verify
from engine.history.witness import checkpoint_file
from engine.models import Verification

PAGES = 1000
"""Pages that are copied before the engine may write again."""
_NOTES = "SELECT data ->> 'note' FROM events WHERE type = 'history.checkpoint' ORDER BY seq"


def back_up(path: Path, folder: Path) -> Verification:
    """Copy the history at `path` into a new folder, mode 0700, and return what verifying the copy found.

    Raises:
        HistoryError: there is no history, the folder is there already, or something cannot be copied.
    """
    if not path.exists():
        raise HistoryError(f"There is no history at {path}", hint="Type: pratique submit FILE")
    try:
        folder.mkdir(mode=0o700, parents=True)
        return _copy(path, folder / path.name)
    except FileExistsError:
        raise HistoryError(f"{folder} is there already", hint="Name a folder that is not") from None
    except (OSError, sqlite3.Error) as error:
        raise explain(error, path) from None


def _copy(path: Path, copy: Path) -> Verification:
    for file in (path.with_suffix(".key"), path.with_suffix(".pub")):
        shutil.copy(file, copy.with_suffix(file.suffix))
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        contextlib.closing(open_reader(path, lambda: False)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target, pages=PAGES)
        target.execute("PRAGMA journal_mode = DELETE")
        notes = [note for (note,) in target.execute(_NOTES)]
    if notes:
        checkpoint_file.add(checkpoints_of(copy), notes)
    return verified_copy(copy)


def verified_copy(copy: Path) -> Verification:
    """Return what verifying a history finds that no engine writes, by the key and the checkpoints beside it.

    Raises:
        HistoryError: it has no such key, or is no history.
        sqlite3.Error: it is damaged.
    """
    key = signing_key(copy.with_suffix(".key")).public_key()
    with contextlib.closing(open_reader(copy, lambda: False)) as reader:
        return verify(SqlSource(reader, copy), checkpoint_file.notes(checkpoints_of(copy)), key)
