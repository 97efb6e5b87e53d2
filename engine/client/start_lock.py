"""The lock that an engine holds from its start on, so that several clients at once start one engine only."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from engine import locations
from engine.common.errors import Problem
from engine.common.local_files import read_file
from engine.common.lock_holder import lock_holder


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


def is_alive(started: subprocess.Popen[bytes] | None) -> bool:
    """Return whether an engine lives that may answer soon."""
    return (started is not None and started.poll() is None) or lock_holder(
        locations.engine_lock()
    ) is not None


def check_end(started: subprocess.Popen[bytes] | None, log: Path) -> None:
    """Raise Problem, with the last line of its log, where an engine was started and has ended."""
    if started is not None:
        raise Problem(503, f"the engine did not start: {_last_line(log)}", hint=f"Read {log}")


def no_answer(log: Path, seconds: float) -> Problem:
    """Return the problem that the engine lives, but did not answer within so many seconds."""
    holder = lock_holder(locations.engine_lock())
    who = f"the engine (process {holder})" if holder else "the engine"
    hint = f"Read {log}, or type: pratique stop"
    return Problem(503, f"{who} did not answer within {seconds:g} s", hint=hint)


def _last_line(log: Path) -> str:
    lines = read_file(log, 1 << 26).decode(errors="replace").strip().split("\n")
    return lines[-1][:300]
