"""Starts the engine where none answers, without loading any of it."""

from __future__ import annotations

import socket
import subprocess
import time

from engine import locations
from engine.client.start_lock import check_end, is_alive, no_answer, start_engine

START_SECONDS = 120.0
PROBE_SECONDS = 0.05


def ensure_engine() -> None:
    """Return once the local engine listens, after starting one where none does.

    Raises:
        Problem: it did not start.
    """
    log, started = locations.state() / "engine.log", None
    deadline = time.monotonic() + START_SECONDS
    while not listens():
        if time.monotonic() > deadline:
            raise no_answer(log, START_SECONDS)
        started = _started(started)
        time.sleep(PROBE_SECONDS)


def _started(before: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes] | None:
    if is_alive(before):
        return before
    log = locations.state() / "engine.log"
    check_end(before, log)
    return start_engine(log)


def listens() -> bool:
    """Return whether the local engine takes connections."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(locations.socket())) == 0
