"""Space that is kept for decisions and the ends of runs when the disk is full."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

MOST_RESERVE = 32 << 20
"""Bytes of the reserve: thousands of decisions and results."""
SHARE = 16
"""The reserve takes at most this part of the disk."""


class DiskReserve:
    """A file that takes up space until the disk is full, and is given up then."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "reserve"
        self._folder = folder
        self.size = min(MOST_RESERVE, shutil.disk_usage(folder).total // SHARE)

    @property
    def held(self) -> bool:
        """Whether the reserve is there."""
        return self.path.exists()

    @property
    def free(self) -> int:
        """Bytes that are free beside the reserve."""
        return shutil.disk_usage(self._folder).free

    @property
    def low(self) -> bool:
        """Whether there is too little space to take in new work: less than the reserve."""
        return self.free < self.size

    def hold(self) -> None:
        """Take the space, unless it is taken or the disk has too little."""
        if self.held or self.free < 3 * self.size:
            return
        with contextlib.suppress(OSError):  # without a reserve the engine runs all the same
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, max(1, self.size))
            finally:
                os.close(descriptor)

    def release(self) -> bool:
        """Give the space up if the disk is full; return whether there was something to give up."""
        if not self.held or not self.low:
            return False
        self.path.unlink(missing_ok=True)
        return True
