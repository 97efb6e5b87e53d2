"""What the history in PostgreSQL costs: appends beside bare INSERT and COMMIT, and cases, in the same run.

The server is the tests' own, on loopback, with every commit on disk.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.store.open import open_history
from engine.settings import HistorySettings
from tests.benchmarks.row import Row, percentiles
from tests.engine.history.conftest import build_case
from tests.postgres_server import PostgresServer

ALICE = Untrusted("alice")
SINGLE, TOGETHER, BATCH, ROUNDS, CASES = 300, 500, 500, 10, 100
ASKED_SINGLE, ASKED_BATCHED, ASKED_CASE_MS = 2000, 8000, 15
_TABLE = "CREATE TABLE bare (n BIGINT PRIMARY KEY, data TEXT, previous BYTEA, hash BYTEA)"
_INSERT = b"INSERT INTO bare SELECT coalesce(max(n), 0) + 1, %s, %s, %s FROM bare"
_VALUES = ('{"n":1}' * 10, bytes(32), bytes(32))


async def rows() -> list[Row]:
    """Measure."""
    own = await asyncio.to_thread(PostgresServer.make, synced=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return await _measured(own.database("bench"), Path(folder) / "pratique.db")
    finally:
        await asyncio.to_thread(own.end)


async def _measured(url: str, path: Path) -> list[Row]:
    log = await open_history(HistorySettings(database=url), path, None)
    singles, bare = [], []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_TABLE)
        for number in range(SINGLE):
            bare.append(await _seconds(lambda: _insert(connection)))
            singles.append(await _seconds(lambda number=number: _append(log, number)))  # type: ignore[misc]
    together = [await _seconds(lambda: _at_once(log)) for _ in range(ROUNDS)]
    batches = [await _seconds(lambda: _batch(log)) for _ in range(ROUNDS)]
    cases = [await _seconds(lambda number=number: _case(log, number)) for number in range(CASES)]  # type: ignore[misc]
    await log.close()
    raw = percentiles(bare)[0]
    return [
        _rate("bare INSERT and COMMIT", bare, 1, raw, None),
        _rate("append, single, durable", singles, 1, raw, ASKED_SINGLE),
        _rate(f"append, {TOGETHER} waiting", together, TOGETHER, raw, None),
        _rate(f"append_many of {BATCH}", batches, BATCH, raw, ASKED_BATCHED),
        _milliseconds("append of a new case", cases, raw),
    ]


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await work()
    return time.perf_counter() - begun


async def _insert(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    connection.execute(_INSERT, _VALUES)


async def _append(log: HistoryStore, number: int) -> None:
    await log.append("history.viewed", "", ALICE, {"n": number})


async def _at_once(log: HistoryStore) -> None:
    await asyncio.gather(*(_append(log, number) for number in range(TOGETHER)))


async def _batch(log: HistoryStore) -> None:
    await log.append_many(("history.viewed", "", ALICE, {"n": number}) for number in range(BATCH))


async def _case(log: HistoryStore, number: int) -> None:
    case = build_case(f"s{number}", code=f"print({number})")
    await log.append("claim.created", case.submission.id, ALICE, {}, case=case)


def _rate(name: str, seconds: list[float], each: int, raw: float, asked: int | None) -> Row:
    """Return events a second; the percentiles are those of the slow side."""
    p50, p95, p99 = (each / one for one in percentiles(seconds))
    target = f"at least {asked:,}/s" if asked else "the raw thing" if each == 1 else ""
    passed = p50 >= asked if asked else None
    return Row(f"PostgreSQL: {name}", p50, p95, p99, "/s", 1 / raw, p50 * raw, target, passed)


def _milliseconds(name: str, seconds: list[float], raw: float) -> Row:
    p50, p95, p99 = (one * 1000 for one in percentiles(seconds))
    target = f"at most {ASKED_CASE_MS} ms"
    return Row(
        f"PostgreSQL: {name}", p50, p95, p99, "ms", raw * 1000, raw * 1000 / p50, target, p50 <= ASKED_CASE_MS
    )
