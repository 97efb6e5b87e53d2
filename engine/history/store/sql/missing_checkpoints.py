"""Checkpoints that the history has, and the file of checkpoints on this machine lacks."""

from __future__ import annotations

from pathlib import Path

from engine.history.store.sql.connection import SqlConnection
from engine.history.witness import checkpoint_file

_NOTES = "SELECT data ->> 'note' FROM events WHERE type = 'history.checkpoint' AND seq > ? ORDER BY seq"


def missing_checkpoints(connection: SqlConnection, file: Path) -> list[str]:
    """Return the notes after the last one in the file."""
    last = max((note.size for note in checkpoint_file.notes(file) if note), default=0)
    return checkpoints_after(connection, last)


def checkpoints_after(connection: SqlConnection, size: int) -> list[str]:
    """Return the notes of the checkpoints after the one over so many records."""
    return [str(note) for (note,) in connection.execute(_NOTES, (size + 1,))]
