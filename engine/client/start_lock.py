"""The lock that an engine holds from its start on, so that several clients at once start one engine only."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from engine import locations
from engine.common.errors import Problem


def start_engine(log: Path) -> subprocess.Popen[bytes] | None:
    """Start an engine that writes its log to a file; None where another one is being started or runs.

    The engine inherits the lock, and so holds it for as long as it lives, whatever becomes of this client.

    Raises:
        Problem: the lock or the log cannot be written.
    """
    try:
        lock = os.open(locations.start_lock(), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(locations.start_lock(), error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _spawn(lock, log)
    except BlockingIOError:
        return None
    finally:
        os.close(lock)


def _spawn(lock: int, log: Path) -> subprocess.Popen[bytes]:
    try:
        sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(log, error) from None
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "engine.server.serve"],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            pass_fds=(lock,),
        )
    finally:
        os.close(sink)


def _unwritable(path: Path, error: OSError) -> Problem:
    hint = f"Look at: ls -ld {path.parent} {path}; or set PRATIQUE_HOME to a folder that you may write"
    return Problem(503, f"{path} cannot be written: {error.strerror}", hint=hint)
