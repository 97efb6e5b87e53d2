"""The append-only file of checkpoints outside the database, one signed note as a JSON string on each line."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from engine.common.local_files import sync_folder
from engine.history.chain.checkpoints import ORIGIN, Checkpoint, parse

_TAIL = 4096
"""Bytes at the end of the file that hold the last line."""
NOTES = re.compile(rf"^{ORIGIN}\n(?:[^\n]*\n){{1,8}}?\n\u2014 [^\n]*\n", re.MULTILINE)
"""Signed notes that follow one another, with whatever between them."""


def notes(path: Path) -> list[Checkpoint | None]:
    """Return the checkpoints in the file; None for a line that is none."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8", errors="replace").splitlines()
    return [_checkpoint(line) for line in lines if line.strip()]


def last(path: Path) -> str | None:
    """Return the last note in the file, as it is signed; None where there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read().splitlines()
        note = json.loads(lines[-1]) if lines else None
    except (FileNotFoundError, ValueError):
        return None
    return note if isinstance(note, str) else None


def read(text: str) -> list[str]:
    """Return the notes that a witness has kept: as lines of such a file, or one after the other.

    What is no note is returned unchanged, so that verification reports it.
    """
    kept = NOTES.findall(text)
    if kept:
        return kept
    lines = [line for line in text.splitlines() if line.strip()]
    return [_text(line) for line in lines]


def notes_after(path: Path, seconds: float) -> list[Checkpoint | None]:
    """Return the notes of the file once so many seconds have passed."""
    time.sleep(seconds)
    return notes(path)


def add(path: Path, new: Sequence[str]) -> None:
    """Put notes at the end of the file, on disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    is_new = not path.exists()
    with os.fdopen(os.open(path, flags, 0o600), "ab") as file:
        file.write("".join(f"{json.dumps(note)}\n" for note in new).encode())
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def _checkpoint(line: str) -> Checkpoint | None:
    return parse(_text(line))


def _text(line: str) -> str:
    """Return the note of a line; the line itself where it holds none."""
    try:
        note = json.loads(line)
    except ValueError:
        return line
    return note if isinstance(note, str) else line
