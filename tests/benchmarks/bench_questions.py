"""Questions of incident responders about a large seeded history: by kind, each first asked by a fresh reader.

`PRATIQUE_BENCH_RUNS` says how many runs are seeded; the numbers that were asked for are at 1,000,000.
`PRATIQUE_BENCH_HISTORY` names a seeded history that is there already.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from engine.history.devtools.seed import HOSTS, WORDS, seed_history
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sqlite.database import SqliteDatabase
from tests.benchmarks.row import Row, percentiles
from tests.questions import QUESTIONS

DEADLINE = 60.0
EACH = 30
"""Questions of each kind."""
ASKED = 5
"""How often each of the twelve questions is asked, about other values each time."""
SINGLE = (
    "observed.host:host-{host}.example", "host:host-{host}.example", "granted.host:host-{host}.example",
    "observed.path:/workspace/{word}-{small}.csv", "path:*{small}.csv", "effect:write", "verdict:harmless",
    "approver:alice", "reviewer:dave", "agent:agent-{few}", "risk:critical", "kill:memory", "lang:shell",
    'purpose:"customer {small}"', "purpose:region", "duration:>10s", "since:7d", "decided:2026-03-02",
    "submitted:2026-01-01..2026-01-03", "id:s-{id}",
)  # fmt: skip
"""One field, with values that are common, rare and never found."""
KINDS: dict[str, tuple[Sequence[str], float]] = {
    "single field": (SINGLE, 300),
    "two fields with OR": (
        (
            "observed.host:host-{host}.example OR agent:agent-{few}",
            "risk:critical OR kill:memory",
            "approver:alice OR observed.path:/workspace/{word}-{small}.csv",
            "lang:shell OR effect:write",
            "since:1d OR granted.host:host-{host}.example",
        ),
        500,
    ),
    "fields with AND": (
        (
            "approver:* observed.host:host-{host}.example",
            "agent:agent-{few} risk:critical kill:memory",
            "host:host-{host}.example -approver:bob",
            "effect:write approver:carol risk:high",
            "agent:agent-{few} since:7d observed.host:host-{host}.example",
            "lang:shell path:*{small}.csv",
        ),
        500,
    ),
    "text": (
        ("{word}", 'code:"import {word}"', "text:{small}", 'output:"result of {small}"', "made print", "17*"),
        500,
    ),
    "like a submission": (("like:s-{id}",), 500),
}
FACETS = ("host", "observed.host", "approver", "reviewer", "effect", "path", "requester", "rule", "day")
PIVOTS = (
    "agent:agent-{few}",
    "agent:agent-{few} submitted:2026-02-0{day}T05:00..2026-02-0{day}T06:00",
    "like:s-{id}",
    "reviewer:alice",
    "observed.host:host-{host}.example",
    "observed.path:/workspace/{word}-{small}.csv",
)


async def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("PRATIQUE_BENCH_HISTORY", f"{folder}/pratique.db"))
        runs = int(os.environ.get("PRATIQUE_BENCH_RUNS", "5000"))
        if not path.exists():
            seed_history(path, runs, seed=1)
        chance = random.Random(1)  # noqa: S311  the same questions each time
        found = []
        for kind, (forms, most) in KINDS.items():
            questions, total = _questions(forms, chance, runs), f"total of {kind}"
            found += await _asked(path, kind, questions, lambda reader, text: reader.summaries(text), most)
            found += await _asked(path, total, questions, lambda reader, text: reader.total(text), most)
        questions = _questions(PIVOTS, chance, runs)
        found += await _asked(path, "pivot", questions, lambda reader, text: reader.summaries(text), 500)
        questions = _questions(("", *SINGLE, *PIVOTS), chance, runs)
        found += await _asked(path, "facets", questions, lambda reader, text: reader.facets(text), 300)
        found += await _asked(path, "counts by a field", _counted(questions), _count, 300)
        asked = [
            f"{one.by}\n{text}" for one in QUESTIONS for text in _questions((one.form,), chance, runs, ASKED)
        ]
        found += await _asked(path, "the twelve of the documentation", asked, _answered, 1000)
        return found


def _counted(questions: Sequence[str]) -> list[str]:
    fields = [field for field in FACETS if field != "day"]
    return [f"{fields[number % len(fields)]}\n{text}" for number, text in enumerate(questions)]


def _count(reader: SqlHistoryReader, text: str) -> Awaitable[object]:
    field, _, query = text.partition("\n")
    return reader.counts(query, field)


async def _answered(reader: SqlHistoryReader, text: str) -> None:
    """Find the newest, count all, and count them by a field: what the console shows after three keys."""
    field, _, query = text.partition("\n")
    await reader.summaries(query)
    await reader.total(query)
    await reader.counts(query, field)


def _questions(forms: Sequence[str], chance: random.Random, runs: int, each: int = EACH) -> list[str]:
    """Return so many questions of these forms, with values drawn anew."""
    return [_drawn(forms[number % len(forms)], chance, runs) for number in range(max(each, len(forms)))]


def _drawn(form: str, chance: random.Random, runs: int) -> str:
    return form.format(
        host=chance.choice((1, 2, 7, chance.randrange(HOSTS))), word=chance.choice(WORDS),
        small=chance.randrange(1000), few=int(chance.paretovariate(1)) % 50, day=chance.randrange(1, 10),
        id=f"{chance.randrange(runs):09}",
    )  # fmt: skip


async def _asked(
    path: Path,
    what: str,
    questions: Sequence[str],
    ask: Callable[[SqlHistoryReader, str], Awaitable[object]],
    most: float,
) -> list[Row]:
    took: list[float] = []
    for question in questions:
        reader = ConnectionPool(SqliteDatabase(path), DEADLINE)
        began = time.perf_counter()
        await ask(SqlHistoryReader(reader), question)
        took.append(1e3 * (time.perf_counter() - began))
        if took[-1] > most:
            sys.stderr.write(f"{took[-1]:,.0f} ms for {what}: {question!r}\n")
        reader.close()
    p50, p95, p99 = percentiles(took)
    name = f"questions, {what}, first asked"
    return [Row(name, p50, p95, p99, "ms", None, None, f"p95 < {most:g} ms", p95 < most)]
