"""Programs that go on after this one, known by process id and start time, as an id may be used again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_END_SECONDS = 10.0


class ClusterError(Exception):
    """The cluster does not come up: what was waited for, and where to look."""


def identity(pid: int) -> str:
    """Return a process's id and start time; "" where it does not run.

    One that was killed is a zombie by its first thread, and holds its ports until its last one has ended.
    """
    folder = Path(f"/proc/{pid}")
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ended = fields[0] in "ZX" and len(list((folder / "task").iterdir())) < 2
    except OSError:
        return ""
    return "" if ended else f"{pid} {fields[19]}"


class Daemons:
    """The programs of one cluster, with their notes and logs in its folder."""

    def __init__(self, folder: Path) -> None:
        self._notes, self.logs = folder / "daemons", folder / "logs"
        for one in (self._notes, self.logs):
            one.mkdir(parents=True, exist_ok=True)

    def pid(self, name: str) -> int:
        """Return the process id of a program of ours that runs; 0 where it does not."""
        note = self._notes / name
        noted = note.read_text() if note.is_file() else ""
        pid = int(noted.split()[0]) if noted else 0
        return pid if pid and identity(pid) == noted else 0

    def start(self, name: str, command: Sequence[str], environment: dict[str, str]) -> None:
        """Start a program in a session of its own, unless it runs."""
        if self.pid(name):
            return
        with (self.logs / name).open("ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=environment,
            )  # fmt: skip
        (self._notes / name).write_text(identity(process.pid))

    def end(self, name: str, number: signal.Signals = signal.SIGTERM) -> None:
        """End a program of ours; by force where it does not end in time."""
        pid = self.pid(name)
        if not pid:
            return
        os.kill(pid, number)
        until = time.monotonic() + _END_SECONDS
        while self.pid(name) and time.monotonic() < until:
            _collect(pid)
            time.sleep(0.05)
        if self.pid(name):
            os.kill(pid, signal.SIGKILL)
        (self._notes / name).unlink(missing_ok=True)

    def wait(self, what: str, seconds: float, holds: Callable[[], bool]) -> None:
        """Wait until something holds. Raises ClusterError."""
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise ClusterError(f"{what}: not in time; look into {self.logs}")
            time.sleep(0.2)


def _collect(pid: int) -> None:
    """Take the exit code of a child, so that it does not stay as a zombie."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
