"""The append-only file of checkpoints outside the database, one signed note as a JSON string on each line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from engine.audit.checkpoints import Checkpoint, parse


def notes(path: Path) -> list[Checkpoint | None]:
    """Return the checkpoints in the file; None stands for a line that is none."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8", errors="replace").splitlines()
    return [_checkpoint(line) for line in lines if line.strip()]


def add(path: Path, new: Sequence[str]) -> None:
    """Put notes at the end of the file, on disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "ab") as file:
        file.write("".join(f"{json.dumps(note)}\n" for note in new).encode())
        file.flush()
        os.fsync(file.fileno())


def _checkpoint(line: str) -> Checkpoint | None:
    try:
        note = json.loads(line)
    except ValueError:
        return None
    return parse(note) if isinstance(note, str) else None
