"""What several engines append to one chain in PostgreSQL, beside bare commits of the same server.

The server is the tests' own, on loopback, with every commit on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg

from engine.history.store.open import open_history
from engine.settings import HistorySettings
from tests.benchmarks.row import Row
from tests.postgres_server import PostgresServer

PROGRAM = "tests.benchmarks.chain_writer"
ENGINES, SECONDS = 3, 3.0
SINGLE, BATCHED = 2000, 8000
_TABLE = "CREATE TABLE bare (n BIGINT PRIMARY KEY, data TEXT, previous BYTEA, hash BYTEA)"
_HEAD = "CREATE TABLE bare_head (n BIGINT PRIMARY KEY)"
_INSERT = b"""
WITH next AS (UPDATE bare_head SET n = n + 1 RETURNING n)
INSERT INTO bare SELECT n, %s, %s, %s FROM next
"""
_VALUES = ('{"n":1}' * 10, bytes(32), bytes(32))


async def rows() -> list[Row]:
    """Measure."""
    own = await asyncio.to_thread(PostgresServer.make, synced=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return await _measured(own.database("bench"), Path(folder))
    finally:
        await asyncio.to_thread(own.end)


async def _measured(url: str, folder: Path) -> list[Row]:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (_TABLE, _HEAD, "INSERT INTO bare_head VALUES (0)"):
            connection.execute(statement.encode())
    bare = await asyncio.to_thread(_bare, url, ENGINES)
    alone = await asyncio.to_thread(_bare, url, 1)
    async with _engines(url, folder) as engines:
        return [
            _row("one bare row and COMMIT, 1 connection", alone, 0.0, alone, None),
            _row(f"the same, {ENGINES} connections over one locked row", bare, 0.0, bare, None),
            _row("append, 1 engine, 1 waits", *await _told(engines[:1], "single 1"), alone, None),
            _row("append, 1 engine, 64 wait", *await _told(engines[:1], "single 64"), alone, None),
            _row(
                f"append, {ENGINES} engines, 1 waits in each", *await _told(engines, "single 1"), bare, None
            ),
            _row(
                f"append, {ENGINES} engines, 64 wait in each",
                *await _told(engines, "single 64"),
                bare,
                SINGLE,
            ),
            _row("append_many of 500, 1 engine", *await _told(engines[:1], "batch 1"), alone, None),
            _row(f"append_many of 500, {ENGINES} engines", *await _told(engines, "batch 1"), bare, BATCHED),
        ]


def _bare(url: str, connections: int) -> float:
    """Return how many bare commits a second the server makes, one after the other."""
    counts = [0] * connections
    until = time.monotonic() + SECONDS

    def work(number: int) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while time.monotonic() < until:
                connection.execute(_INSERT, _VALUES)
                counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


@contextlib.asynccontextmanager
async def _engines(url: str, folder: Path) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Yield processes that have opened the history."""
    first = folder / "e0" / "pratique.db"
    settings = HistorySettings(database=url, engines="several", engine_name="e0")
    await (await open_history(settings, first, None)).close()  # makes the key
    made = [await _started(url, folder, number) for number in range(ENGINES)]
    try:
        yield made
    finally:
        for process in made:
            process.kill()
            await process.wait()


async def _started(url: str, folder: Path, number: int) -> asyncio.subprocess.Process:
    path = folder / f"e{number}" / "pratique.db"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if number:
        shutil.copy(folder / "e0" / "pratique.key", path.with_suffix(".key"))
    command = [sys.executable, "-m", PROGRAM, url, str(path), f"e{number}"]
    process = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"open\n"
    return process


async def _told(engines: list[asyncio.subprocess.Process], what: str) -> tuple[float, float]:
    """Let the engines append, and return their events a second and their microseconds of CPU an event."""
    for process in engines:
        assert process.stdin is not None
        process.stdin.write(f"{what} {SECONDS}\n".encode())
    said = [(await process.stdout.readline()).split() for process in engines if process.stdout]
    events = sum(int(count) for count, _ in said)
    return events / SECONDS, sum(float(cpu) for _, cpu in said) / events * 1e6


def _row(name: str, rate: float, cpu: float, raw: float, asked: int | None) -> Row:
    """Return events a second; in the place of p95 and p99 the engines' microseconds of CPU an event."""
    target = f"at least {asked:,}/s" if asked else ""
    passed = rate >= asked if asked else None
    return Row(f"one chain: {name}", rate, cpu, cpu, "/s; us of CPU", raw, rate / raw, target, passed)
