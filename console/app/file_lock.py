"""A lock on a file of this console, which the kernel releases when the console ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self


class FileLock:
    """A lock that is held from `take` until `release`, or until the process ends."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """Take the lock; None where another console has it. Raises OSError: the file cannot be opened."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return cls(path, descriptor)

    def release(self) -> None:
        """Give the lock back."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
