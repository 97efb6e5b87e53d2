"""Searches in a large seeded history: many different filters and texts, each by a fresh reader and again.

A fresh reader has read nothing of the file yet, as in an engine just started. `PRATIQUE_BENCH_RUNS` says
how many runs are seeded; the numbers that were asked for are at 1,000,000. `PRATIQUE_BENCH_HISTORY` names a
seeded history that is there already.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from engine.history.devtools.seed import WORDS, seed_history
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sqlite.database import SqliteDatabase
from tests.benchmarks.row import Row, percentiles

DEADLINE = 60.0
FILTERS, TEXTS = 240, 50
VALUES = {
    "risk": ("low", "medium", "high", "critical", "high,critical"),
    "status": ("finished", "killed", "denied", "expired", "pending", "running"),
    "decision": ("approved", "denied", "expired"),
    "kill": ("none", "timeout", "memory", "output", "disk", "memory,timeout,output"),
    "lang": ("python", "shell", "javascript", "py,js"),
    "requester": ("agent-0", "agent-7", "agent-19", "agent-40", "agent-1*", "agent-1,agent-2", "nobody"),
    "reviewer": ("alice", "bob", "carol", "dave", "al*", "zoe"),
    "duration": (">10s", "<1s", ">=100ms", ">2m", "<50ms", "5"),
    "memory": (">100mb", "<20mb", ">1gb"),
    "lines": (">3", "1", "<2"),
    "violations": (">0", "0"),
    "exit": ("0", "1", ">0", "137"),
    "since": ("12h", "1d", "7d", "30d", "300d", "2026-06-01"),
    "until": ("30d", "2026-01-01", "2026-03-02"),
    "id": ("s-1*", "s-000000017", "zz"),
    "digest": ("ab*", "0*"),
}
"""Every key but `text`, with values that are common, rare and never found."""
PHRASES = ('"import json"', '"made-up code"', '"result of"', "made", "print", "nowhere", "xxxx*", "17*", "1*")


async def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("PRATIQUE_BENCH_HISTORY", f"{folder}/pratique.db"))
        if not path.exists():
            seed_history(path, int(os.environ.get("PRATIQUE_BENCH_RUNS", "5000")), seed=1)
        chance = random.Random(1)  # noqa: S311  the same questions each time
        filters, texts = _filters(chance), _texts(chance)
        return [
            *await _asked(path, "filters", filters, lambda target, text: target.summaries(text), 300),
            *await _asked(path, "facets of filters", filters, lambda target, text: target.facets(text), 300),
            *await _asked(path, "texts", texts, lambda target, text: target.summaries(text), 500),
            *await _asked(path, "facets of texts", texts, lambda target, text: target.facets(text), 500),
        ]


def _filters(chance: random.Random) -> list[str]:
    """Return each value of each key by itself, then two to four together, some of them negated."""
    made = dict.fromkeys(f"{key}:{value}" for key, values in VALUES.items() for value in values)
    while len(made) < FILTERS:
        keys = chance.sample(list(VALUES), chance.randint(2, 4))
        made[" ".join(_sign(chance) + f"{key}:{chance.choice(VALUES[key])}" for key in keys)] = None
    return list(made)


def _texts(chance: random.Random) -> list[str]:
    """Return words that are common and rare, by themselves and beside a condition."""
    made = dict.fromkeys(f"text:{text}" for text in (*WORDS, *PHRASES))
    while len(made) < TEXTS:
        text = chance.choice(
            (*WORDS, str(chance.randrange(50_000)), f'"result of {chance.randrange(50_000)}"')
        )
        key = chance.choice(list(VALUES))
        made[f"{_sign(chance)}text:{text} {key}:{chance.choice(VALUES[key])}"] = None
    return list(made)


def _sign(chance: random.Random) -> str:
    return "-" if chance.random() < 0.2 else ""


async def _asked(
    path: Path,
    what: str,
    texts: Sequence[str],
    ask: Callable[[SqlHistoryReader, str], Awaitable[object]],
    most: float,
) -> list[Row]:
    first: list[float] = []
    again: list[float] = []
    for text in texts:
        reader = ConnectionPool(SqliteDatabase(path), DEADLINE)
        for took in (first, again):
            began = time.perf_counter()
            await ask(SqlHistoryReader(reader), text)
            took.append(1e3 * (time.perf_counter() - began))
        reader.close()
    return [_row(f"{len(texts)} {what}, {name}", took, most)
            for name, took in (("first asked", first), ("asked again", again))]  # fmt: skip


def _row(name: str, took: Sequence[float], most: float) -> Row:
    p50, p95, p99 = percentiles(took)
    return Row(name, p50, p95, p99, "ms", None, None, f"p95 < {most:g} ms", p95 < most)
