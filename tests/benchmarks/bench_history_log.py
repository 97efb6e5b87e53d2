"""What the history costs: appends against bare SQLite, verification, and searches in a large seeded history.

`PRATIQUE_BENCH_RUNS` says how many runs are seeded; the numbers that were asked for are at 1,000,000.
`PRATIQUE_BENCH_HISTORY` names a seeded history that is there already.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from engine.common.text import Untrusted
from engine.history.chain import chain
from engine.history.chain.merkle import Frontier
from engine.history.devtools.seed import seed_history
from engine.history.store.sqlite.database import open_source
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.verify.diagnosis import first_break
from engine.history.verify.erased import ErasedRecords
from engine.history.verify.range import STEP
from engine.settings import HistorySettings
from tests.benchmarks.row import Row, percentiles

ALICE = Untrusted("alice")
DATA: dict[str, Any] = {"risk": "high", "rules": ["py-eval", "py-exec"]}
SINGLE = 1000
MANY = 5_000
BATCHES = 20
CALLERS = 32
FILTERS = (
    "risk:critical",
    "kill:memory",
    "reviewer:alice",
    "requester:agent-7",
    "risk:critical reviewer:alice kill:memory",
    "lang:js status:finished",
    "since:2026-11-01 risk:high",
    "duration:>10s",
    "-kill:none",
    "decision:denied lang:sh",
)
TEXTS = ("text:pandas", "text:4711", 'text:"result of 17"', "text:requests risk:critical", "text:nowhere")


async def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        appended = await _appends(Path(folder))
        seeded = Path(os.environ.get("PRATIQUE_BENCH_HISTORY", f"{folder}/seeded/pratique.db"))
        if not seeded.exists():
            seed_history(seeded, int(os.environ.get("PRATIQUE_BENCH_RUNS", "5000")), seed=1)
        small = Path(folder) / "small" / "pratique.db"
        seed_history(small, 1000, seed=1)
        return [*appended, *await _searches(seeded, small)]


async def _appends(folder: Path) -> list[Row]:
    """Measure both sides in turn, so that both have the same machine."""
    bare = _bare(folder / "bare.db")
    log = await SqliteHistoryStore.open(folder / "log.db", HistorySettings())
    events = [("submission.assessed", "s-1", ALICE, DATA)] * MANY
    single, single_bare, many, many_bare = [], [], [], []
    for _ in range(SINGLE):
        single_bare.append(await _timed(lambda: bare.insert(1)))
        single.append(await _timed(lambda: log.append("submission.assessed", "s-1", ALICE, DATA)))
    together = await _timed(lambda: _at_once(log))
    for _ in range(BATCHES):
        many_bare.append(await _timed(lambda: bare.insert(MANY)))
        many.append(await _timed(lambda: log.append_many(events)))
    bare.close()
    await log.close()
    base, base_many = percentiles(single_bare), percentiles(many_bare)
    least = min(50_000, 0.6 * MANY / base_many[0])
    target, each = "at least 0.6 of bare SQLite", (together / SINGLE,) * 3
    return [
        _row("bare insert, single, durable", base, base[0], "the raw thing", None),
        _row("append, single, durable", percentiles(single), base[0], target, 0.6),
        _row(f"append, {CALLERS} callers", each, base[0], target, 0.6),
        _rate(f"bare executemany, {MANY:,} at once", base_many, base_many[0], "the raw thing", None),
        _rate(f"append, {MANY:,} at once", percentiles(many), base_many[0],
              "50,000/s or 0.6 of executemany", least),
    ]  # fmt: skip


def _rate(
    name: str, seconds: tuple[float, float, float], base: float, target: str, least: float | None
) -> Row:
    """Return how many events a second there are, in the median batch and in the slow ones."""
    p50, p95, p99 = (MANY / value for value in seconds)
    passed = None if least is None else p50 >= least
    return Row(name, p50, p95, p99, "events/s", MANY / base, base / seconds[0], target, passed)


async def _at_once(log: SqliteHistoryStore) -> None:
    async def caller() -> None:
        for _ in range(SINGLE // CALLERS):
            await log.append("submission.assessed", "s-1", ALICE, DATA)

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


async def _searches(large: Path, small: Path) -> list[Row]:
    small_log = await SqliteHistoryStore.open(small, HistorySettings())
    few = percentiles([await _timed(small_log.read.summaries) for _ in range(20)])[0]
    await small_log.close()
    log = await SqliteHistoryStore.open(large, HistorySettings(read_deadline_seconds=60))
    runs = f"{(await log.read.facets()).total:,} runs"
    page = percentiles([await _timed(log.read.summaries) for _ in range(20)])
    filtered = [await _timed(lambda f=f: log.read.summaries(f)) for f in FILTERS for _ in range(5)]  # type: ignore[misc]
    counted = [await _timed(lambda f=f: log.read.facets(f)) for f in ("", *FILTERS) for _ in range(5)]  # type: ignore[misc]
    texts = [await _timed(lambda f=f: log.read.summaries(f)) for f in TEXTS for _ in range(5)]  # type: ignore[misc]
    in_texts = [await _timed(lambda f=f: log.read.facets(f)) for f in TEXTS for _ in range(5)]  # type: ignore[misc]
    started = time.perf_counter()
    verification = await log.verify()
    rate = verification.events / (time.perf_counter() - started)
    await log.close()
    chained = await asyncio.to_thread(_chain_rate, large)
    return [
        _limit(f"first page of history, {runs}", page, few, "within 100 ms of 1,000 runs", few * 1e3 + 100),
        _limit(f"filter, {runs}", percentiles(filtered), None, "p95 < 300 ms", 300),
        _limit(f"facets, {runs}", percentiles(counted), None, "p95 < 300 ms", 300),
        _limit(f"full text, {runs}", percentiles(texts), None, "p95 < 500 ms", 500),
        _limit(f"facets of a text, {runs}", percentiles(in_texts), None, "p95 < 500 ms", 500),
        Row(
            f"verify, {verification.events:,} events", rate, rate, rate, "events/s", None, None,
            "> 200,000/s", rate > 200_000,
        ),
        Row("its chain and tree alone", chained, chained, chained, "events/s", None, None, "", None),
    ]  # fmt: skip


def _chain_rate(path: Path) -> float:
    """Return how many records a second are read, hashed and built into the tree."""
    source = open_source(path)
    erased, tree, last = ErasedRecords(source), Frontier(), chain.GENESIS
    started = time.perf_counter()
    while rows := source.records(tree.size, 1 << 62, STEP):
        assert first_break(rows, tree.size + 1, last, erased) is None
        tree.extend([row[7] for row in rows])
        last = rows[-1][7]
    return tree.size / (time.perf_counter() - started)


class _bare:  # noqa: N801
    """Bare SQLite: the same table and index, the same durability, no chain and no thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, at TEXT, type TEXT, subject TEXT, actor TEXT, "
            "data TEXT, previous BLOB, hash BLOB)"
        )
        self._connection.execute("CREATE INDEX events_subject ON events (subject)")
        data = chain.canonical_data(DATA)
        self._row = (
            "2026-11-21T06:00:00.000000Z",
            "submission.assessed",
            "s-1",
            "alice",
            data,
            bytes(32),
            bytes(32),
        )

    async def insert(self, count: int) -> None:
        """Insert so many rows in one transaction."""
        statement = (
            "INSERT INTO events (at, type, subject, actor, data, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        self._connection.execute("BEGIN")
        self._connection.executemany(statement, [self._row] * count)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()


async def _timed(work: Callable[[], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


def _row(
    name: str, seconds: tuple[float, float, float], base: float, target: str, least: float | None
) -> Row:
    p50, p95, p99 = (value * 1e6 for value in seconds)
    ratio = base / seconds[0]
    passed = None if least is None else ratio >= least
    return Row(name, p50, p95, p99, "µs", base * 1e6, ratio, target, passed)


def _limit(
    name: str, seconds: tuple[float, float, float], base: float | None, target: str, most: float
) -> Row:
    p50, p95, p99 = (value * 1e3 for value in seconds)
    baseline = None if base is None else base * 1e3
    ratio = None if base is None else base / seconds[0]
    return Row(name, p50, p95, p99, "ms", baseline, ratio, target, p95 < most)
