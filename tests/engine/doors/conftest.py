"""A real engine in its own process, in a state folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from engine.doors.client import Client
from engine.models import Verdict

START_SECONDS = 30.0


class EngineProcess:
    """`python -m engine.doors.serve` under a home of its own."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self.environment = {**os.environ, "PRATIQUE_HOME": str(home), **settings}
        self.socket = home / "run" / "engine.sock"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = (self.home / "test.log").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "engine.doors.serve"], env=self.environment, stdout=log, stderr=log
        )
        log.close()
        deadline = time.monotonic() + START_SECONDS
        while not self._listens():
            assert self._process.poll() is None, (self.home / "test.log").read_text()
            assert time.monotonic() < deadline, "the engine did not start"
            time.sleep(0.02)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run it until it ends by itself."""
        command = [sys.executable, "-m", "engine.doors.serve"]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self._process.wait(30)

    def client(self, requester: str = "") -> Client:
        """Return a client of it."""
        return Client(self.socket, requester)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a state folder whose socket path is short enough for the kernel (108 bytes)."""
    assert len(str(tmp_path / "run" / "engine.sock")) < 108
    return tmp_path


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield a running engine, which the tests of a module share."""
    process = EngineProcess(tmp_path_factory.mktemp("home"))
    process.start()
    yield process
    process.end()


@pytest.fixture
async def client(engine: EngineProcess) -> AsyncIterator[Client]:
    """Yield a client of a running engine in which nothing waits."""
    async with engine.client("agent") as client:
        for summary in await client.queue():
            await client.decide(summary.id, Verdict.DENIED, summary.digest)
        yield client
