"""A real engine in its own process, in a state folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from engine.client.client import Client
from engine.common.engine_id import engine_id

START_SECONDS = 120.0
WITHOUT_RECORD = "PRATIQUE_POLICY__REQUIRE_FULL_REVIEW"
"""Set to false: tests of other things decide by script, without a record of what was displayed."""
BASE = "PRATIQUE_POLICY__BASE"
"""Set to `strict`: tests of other things know every code as HIGH."""
POOL = "PRATIQUE_SANDBOX__POOL"
"""Set to 0: an engine that runs little does not fill a pool for each image first."""


class EngineProcess:
    """`python -m engine.server.serve` under a home of its own."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self.command = [sys.executable, "-m", "engine.server.serve"]
        own = {"PRATIQUE_HOME": str(home), WITHOUT_RECORD: "false", BASE: "strict", POOL: "0"}
        self.environment = {**os.environ, **own, **settings}
        self.socket = home / "run" / "engine.sock"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def name(self) -> str:
        """The name that its sandboxes carry."""
        return engine_id(self.home)

    def limit_open_files(self, count: int) -> None:
        """Have it start with so many open files at most."""
        self.command = ["sh", "-c", f'ulimit -n {count}; exec "$@"', "sh", *self.command]

    def set_umask(self, umask: int) -> None:
        """Have it start with this umask."""
        self.command = ["sh", "-c", f'umask {umask:03o}; exec "$@"', "sh", *self.command]

    def start(self, within: float = START_SECONDS) -> None:
        """Start it and wait until it listens, for so many seconds at most."""
        log = (self.home / "test.log").open("ab")
        self._process = subprocess.Popen(self.command, env=self.environment, stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + within
        while not self.listens():
            assert self._process.poll() is None, (self.home / "test.log").read_text()
            assert time.monotonic() < deadline, "the engine did not start"
            time.sleep(0.02)

    @property
    def pid(self) -> int:
        """The process that runs."""
        assert self._process is not None
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Return the processor time that it and its children have used."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return sum(_cpu_seconds(one) for one in (str(self.pid), *children))

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run it until it ends by itself."""
        return subprocess.run(
            self.command, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def listens(self) -> bool:
        """Return whether somebody listens at its socket."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def wait(self, seconds: float) -> int:
        """Wait until it ends by itself, and return its exit code."""
        assert self._process is not None
        return self._process.wait(seconds)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self._process.wait(30)

    def client(self, requester: str = "") -> Client:
        """Return a client of it."""
        return Client(self.socket, requester)


def _cpu_seconds(pid: str) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
