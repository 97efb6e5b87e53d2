"""The note beside a history in a file that it goes on in a database, so that no engine continues the file."""

from __future__ import annotations

from pathlib import Path

from engine.history.errors import HistoryError


def moved_file(path: Path) -> Path:
    """Return where it is noted that the history at `path` was copied to a database."""
    return path.with_name(path.name + ".moved")


def require_not_moved(path: Path) -> None:
    """Check that the history at `path` does not go on in a database.

    Raises:
        HistoryError: it does.
    """
    note = moved_file(path)
    if note.exists():
        raise HistoryError(
            f"The history {path} goes on in a database, as {note} says",
            hint="Set history.database to it; to go on with this file instead, remove that note",
        )
