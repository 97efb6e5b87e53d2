"""The witness file: the newest signed head, outside the folder of the history, written after every commit.

It belongs to the same user. It shows accidents and careless tampering: a lost write-ahead log, an older copy
in the place of the history, records cut off. It is no obstacle to an attacker who owns the account.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from engine.common.local_files import private_folder
from engine.history.chain.heads import SignedHead, parse_head

BLOCK = 1024
"""Bytes at the beginning of the file that hold the newest head, written at once."""
LONGEST = 1 << 20
"""Bytes of the file that are read."""
_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class WitnessFile:
    """A witness file, written by one engine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        """Why the last write failed; empty if it succeeded."""
        self.known = ""
        """The newest head that is in the file."""

    def write(self, note: str) -> None:
        """Put the newest head in its place. A failure is kept in `problem`; the next write tries again."""
        block = json.dumps(note).encode().ljust(BLOCK - 1) + b"\n"
        try:
            self._create_folder()
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | _OPEN, 0o600)
            try:
                os.pwrite(descriptor, block, 0)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.problem = f"{self.path} cannot be written: {error.strerror}"
        else:
            self.problem, self.known = "", note

    def keep(self, line: str) -> None:
        """Add what the newest head would replace, and the history contradicts, to the end of the file."""
        try:
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | _OPEN), "ab") as file:
                file.write(json.dumps(line).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self.problem = f"{self.path} cannot be written: {error.strerror}"

    def newest(self) -> str:
        """Return the newest head as it was written, empty where there is none.

        Raises:
            OSError: the file cannot be read.
        """
        lines = _lines(self.path)
        return lines[0] if lines else ""

    def heads(self) -> list[SignedHead | None]:
        """Return all heads in the file, the newest first; None for what is none, or cannot be read."""
        try:
            return [parse_head(line) for line in _lines(self.path)]
        except OSError:
            return [None]

    def _create_folder(self) -> None:
        private_folder(self.path.parent)


def _lines(path: Path) -> Sequence[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | _OPEN)
    except FileNotFoundError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(LONGEST)
    return [_text(line) for line in content.decode(errors="replace").splitlines() if line.strip()]


def _text(line: str) -> str:
    try:
        note = json.loads(line)
    except ValueError:
        return line
    return note if isinstance(note, str) else line
