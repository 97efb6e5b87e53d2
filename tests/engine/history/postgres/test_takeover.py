"""Of several processes one writes the history; where it dies, another goes on with one chain."""

from __future__ import annotations

import asyncio
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.history.store.open import open_history
from engine.settings import HistorySettings
from tests.postgres_server import PostgresServer

CONTENDER = "tests.engine.history.postgres.contender"
CONTENDERS, KILLS, ANSWERS = 3, 6, 20
TAKEOVER_SECONDS = 10.0
"""How long after the death of the one that writes another answers, at most."""
SILENT_SECONDS = 60.0
STANDS_BY = b"0 - -\n"


class Answer(NamedTuple):
    """A record that a process said was answered."""

    process: str
    seq: int
    digest: str
    subject: str


class Contenders:
    """Processes that all want to write the same history."""

    def __init__(self, url: str, path: Path) -> None:
        self._arguments = (url, str(path))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._answers: queue.Queue[Answer] = queue.Queue()
        self._readers: list[threading.Thread] = []
        self._ready = threading.Semaphore(0)
        self.told: list[Answer] = []

    def start(self, count: int) -> None:
        """Start further processes, and wait until they stand by."""
        for _ in range(count):
            name = f"p{len(self._readers)}"
            command = [sys.executable, "-m", CONTENDER, *self._arguments, name]
            self._processes[name] = subprocess.Popen(command, stdout=subprocess.PIPE)
            reader = threading.Thread(target=self._read, args=(name,), daemon=True)
            reader.start()
            self._readers.append(reader)
        for _ in range(count):
            assert self._ready.acquire(timeout=SILENT_SECONDS)

    def next(self) -> Answer:
        """Wait for the next answer."""
        answer = self._answers.get(timeout=SILENT_SECONDS)
        self.told.append(answer)
        return answer

    def writing(self) -> str:
        """Return which process writes now."""
        while not self._answers.empty():
            self.next()
        return self.next().process

    def kill(self, name: str) -> None:
        """Kill a process, and take what it has answered by then."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def end(self) -> list[Answer]:
        """Kill all, and return every answer."""
        for name in [*self._processes]:
            self.kill(name)
        for reader in self._readers:
            reader.join()
        while not self._answers.empty():
            self.told.append(self._answers.get())
        return self.told

    def _read(self, name: str) -> None:
        output = self._processes[name].stdout
        assert output is not None
        for line in output:
            if line == STANDS_BY:
                self._ready.release()
            elif line.endswith(b"\n"):
                seq, digest, subject = line.decode().split()
                self._answers.put(Answer(name, int(seq), digest, subject))
        output.close()


@pytest.fixture
def own() -> Iterator[PostgresServer]:
    """Yield a server that may be stopped, and that keeps what it answered."""
    server = PostgresServer.make(synced=True)
    yield server
    server.end()


async def test_one_chain_whatever_dies(own: PostgresServer, tmp_path: Path) -> None:
    """After kills of who writes, and crashes of the server, all that was answered is in one chain, once."""
    url, path = own.database("history"), tmp_path / "pratique.db"
    contenders = Contenders(url, path)
    try:
        contenders.start(CONTENDERS)
        seconds = await asyncio.to_thread(lambda: [*disturbed(own, contenders)])
    finally:
        told = contenders.end()
    store = await open_history(HistorySettings(database=url), path, None)
    kept = {event.seq: (event.hash, event.subject) for event in await store.read.events(limit=1_000_000)}
    found = await store.verify()
    await store.close()
    assert (KILLS, []) == (len(seconds), [one for one in seconds if one > TAKEOVER_SECONDS])
    assert set() == {(one.seq, (one.digest, one.subject)) for one in told} - kept.items()
    assert len(told) == len({one.seq for one in told})
    assert (True, "") == (found.intact, found.problem)


def disturbed(own: PostgresServer, contenders: Contenders) -> Iterator[float]:
    """Kill who writes, again and again, and crash the server in between; yield how long takeovers take."""
    for number in range(KILLS):
        for _ in range(ANSWERS):
            contenders.next()
        if number in {KILLS // 3, 2 * KILLS // 3}:
            own.stop("immediate")
            own.start()
        contenders.start(1)
        killed = contenders.writing()
        contenders.kill(killed)
        begun = time.monotonic()
        while contenders.next().process == killed:
            pass
        yield time.monotonic() - begun
