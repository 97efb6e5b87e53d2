"""What errors of SQLite and of the file system mean, and what to type next."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from engine.history.errors import HistoryError


def explain(error: sqlite3.Error | OSError, path: Path) -> HistoryError:
    """Return the HistoryError for an error of SQLite or of the file system."""
    if isinstance(error, OSError):
        what = f"The history {path} cannot be opened: {error.strerror} ({error.filename})"
        return HistoryError(what, hint=f"Look at: ls -ld {path.parent} {path}*")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    title, hint = _MEANINGS.get(code, ("The history {path} failed: {error}", "Type: pratique audit verify"))
    place = {"path": path, "folder": path.parent, "error": error}
    return HistoryError(title.format(**place), hint=hint.format(**place))


_DAMAGED = (
    "The history {path} is damaged ({error})",
    "Type: pratique audit verify. To start afresh beside it: mv {path} {path}.damaged",
)
_UNWRITABLE = (
    "The history {path} cannot be written; nothing was recorded",
    "Look at: ls -ld {folder} {path}",
)
_MEANINGS = {
    sqlite3.SQLITE_FULL: (
        "The disk that holds {path} is full; nothing was recorded",
        "Free some space (df -h {folder}), then try again",
    ),
    sqlite3.SQLITE_READONLY: _UNWRITABLE,
    sqlite3.SQLITE_CANTOPEN: ("The history {path} cannot be opened", "Look at: ls -ld {folder} {path}"),
    sqlite3.SQLITE_PERM: _UNWRITABLE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_INTERRUPT: (
        "The search took too long and was stopped",
        "Narrow it, for example with since:7d, or raise history.read_deadline_seconds",
    ),
    sqlite3.SQLITE_BUSY: (
        "Another program holds the history {path}",
        "Close it (fuser {path} names it), then retry",
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk that holds {path} failed ({error}); nothing was recorded",
        "Look at: dmesg | tail, then try again",
    ),
}
