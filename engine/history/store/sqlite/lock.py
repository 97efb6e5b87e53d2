"""The lock that one engine holds on a history in a file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from engine.common.local_files import private_folder
from engine.history.errors import HistoryError


def take_lock(path: Path) -> IO[bytes]:
    """Return the lock that one engine holds on a history; closing it lets go.

    Raises:
        HistoryError: another engine holds it.
    """
    try:
        private_folder(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.fdopen(os.open(path.with_name(path.name + ".lock"), flags, 0o600), "wb")
    except OSError as error:
        raise HistoryError(
            f"The history {path} cannot be opened: {error.strerror}", hint=f"Look at: ls -ld {path.parent}"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise HistoryError(
            f"Another engine already writes the history {path}",
            hint="Use that one (pratique doctor finds it), or stop it first",
        ) from None
    return lock
