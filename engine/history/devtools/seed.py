"""A synthetic history of any size. It is never written where events are already."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from engine.history.api import ProgressCallback
from engine.history.chain import chain
from engine.history.devtools.bulk_facts import BulkFacts
from engine.history.devtools.synthetic_case import SyntheticCase, digest_for
from engine.history.devtools.template import CaseTemplate
from engine.history.errors import HistoryError
from engine.history.search.facts.names import Fact
from engine.history.search.facts.sketch import sketch
from engine.history.store.sql import blobs, cases
from engine.history.store.sql.facts.index import SKETCH
from engine.history.store.sql.ledger import Ledger
from engine.history.store.sql.writer import open_ledger
from engine.history.store.sqlite.bulk import bulk_writing
from engine.history.store.sqlite.database import SqliteDatabase
from engine.models import DecisionOutcome, KillReason, Language, Level
from engine.settings import HistorySettings

T = TypeVar("T")
BATCH = 1000
"""Runs in one transaction."""
TOGETHER = 100
"""Runs whose events are chained at once."""
YEAR = timedelta(days=365)
BEGIN = datetime(2025, 11, 21, tzinfo=UTC)
REVIEWERS = ("alice", "bob", "carol", "dave")
WORDS = ("pandas", "requests", "socket", "numpy", "matplotlib", "subprocess", "json", "csv", "math", "re")
PURPOSES = ("Read the orders of customer", "Plot the sales of region", "Send the report of day")
HOSTS = 2000
"""How many hosts there are: a few are contacted often, most seldom."""
RISKS = {Level.LOW: 60, Level.MEDIUM: 25, Level.HIGH: 12, Level.CRITICAL: 3}
LANGUAGES = {Language.PYTHON: 80, Language.SHELL: 12, Language.JAVASCRIPT: 8}
OUTCOMES = {DecisionOutcome.APPROVED: 90, DecisionOutcome.DENIED: 8, DecisionOutcome.EXPIRED: 2}
KILLS = {KillReason.NONE: 95, KillReason.TIMEOUT: 3, KillReason.MEMORY: 1, KillReason.OUTPUT: 1}


def seed_history(path: Path, runs: int, seed: int, progress: ProgressCallback | None = None) -> int:
    """Write a history of so many made-up runs at `path` and return its number of events.

    Raises:
        HistoryError: there are events already.
    """
    database = SqliteDatabase(path)
    lock = database.lock()
    ledger = open_ledger(database, HistorySettings())
    try:
        if ledger.tree.size:
            raise HistoryError(f"{path} has events already", hint="Set PRATIQUE_HOME to an empty folder")
        with bulk_writing(ledger.connection):
            _fill(ledger, runs, random.Random(seed), progress)  # noqa: S311  the same for the same seed
    finally:
        ledger.connection.close()
        lock.close()
    return ledger.tree.size


def _fill(ledger: Ledger, runs: int, chance: random.Random, progress: ProgressCallback | None) -> None:
    submissions = _Generator(ledger, runs, chance)
    for first in range(0, runs, BATCH):
        ledger.begin()
        last = min(first + BATCH, runs)
        for start in range(first, last, TOGETHER):
            submissions.write(range(start, min(start + TOGETHER, last)))
        if last == runs:
            ledger.checkpoint()
        submissions.write_facts()
        ledger.commit()
        if progress:
            progress(last, runs)
    more = True
    while more:
        ledger.begin()
        more = all(ledger.connection.dialect.index_texts() for _ in range(100))
        ledger.commit()


class _Text(NamedTuple):
    """A code and what it prints, with their digests."""

    code: str
    code_digest: str
    output_digest: str
    output: bytes
    facts: tuple[Fact, ...]


class _Generator:
    """Makes submissions up and writes them."""

    def __init__(self, ledger: Ledger, runs: int, chance: random.Random) -> None:
        self._ledger = ledger
        self._runs = runs
        self._chance = chance
        self._at = BEGIN
        self._texts = max(5000, runs // 20)
        self._text = cache(_text)
        self._blob = cache(self._put)
        self._facts = BulkFacts(ledger.connection)
        self._templates: dict[tuple[object, ...], CaseTemplate] = {}

    def write(self, numbers: range) -> None:
        """Write these submissions, chained together."""
        ledger, made = self._ledger, [self._synthetic_case(number) for number in numbers]
        casts = [self._template(run).rows(run) for run, _ in made]
        last = ledger.tree.size
        ledger.append_all([entry for rows in casts for entry in rows.entries])
        for rows, (run, text) in zip(casts, made, strict=True):
            last += len(rows.entries)
            number = cases.insert(ledger.connection, rows.encoded, last)
            self._facts.add(number, (*rows.facts, *text.facts))
            self._at = run.at
            contents = (text.code.encode(), *((text.output,) if run.ran else ()))
            blobs.use(ledger.connection, number, map(self._blob, contents))
        ledger.checkpoint_if_due()

    def write_facts(self) -> None:
        """Write what the submissions that were written are found by."""
        self._facts.write(self._ledger.tree.size)

    def _synthetic_case(self, number: int) -> tuple[SyntheticCase, _Text]:
        chance = self._chance
        text = self._text(chance.randrange(self._texts))
        run = SyntheticCase(
            id=f"s-{number:09}",
            at=BEGIN + YEAR * (number / self._runs),
            wait=timedelta(seconds=round(chance.expovariate(0.05), 3)),
            risk=_pick(chance, RISKS),
            language=(language := _pick(chance, LANGUAGES)),
            outcome=(outcome := _pick(chance, OUTCOMES)),
            kill=_pick(chance, KILLS),
            requester=(requester := f"agent-{int(chance.paretovariate(1)) % 50}"),
            reviewer="nobody" if outcome is DecisionOutcome.EXPIRED else chance.choice(REVIEWERS),
            seconds=round(chance.expovariate(0.5), 3),
            code=text.code,
            code_digest=text.code_digest,
            digest=digest_for(
                text.code,
                language,
                requester,
                (host := _host(chance)),
                (purpose := f"{chance.choice(PURPOSES)} {number % 1000}"),
            ),
            output_digest=text.output_digest,
            output_size=len(text.output),
            host=host,
            path=f"/workspace/{chance.choice(WORDS)}-{chance.randrange(5000)}.csv",
            purpose=purpose,
        )
        return run, text

    def _template(self, run: SyntheticCase) -> CaseTemplate:
        kind = (run.risk, run.language, run.outcome, run.kill)
        if kind not in self._templates:
            self._templates[kind] = CaseTemplate(run)
        return self._templates[kind]

    def _put(self, content: bytes) -> int:
        return blobs.put(self._ledger.connection, content, blobs.digest_of(content), chain.stamp(self._at))


def _text(number: int) -> _Text:
    code = f"import {WORDS[number % len(WORDS)]}\n# made-up code {number}\nprint({number})\n"
    output = f"result of {number}: {'x' * (number % 97)}\n".encode()
    digest = blobs.digest_of(code.encode())
    facts = (("code.digest", digest), *((SKETCH, one) for one in sketch(code)))
    return _Text(code, digest, blobs.digest_of(output), output, facts)


def _host(chance: random.Random) -> str:
    return f"host-{int(chance.paretovariate(0.6)) % HOSTS}.example"


def _pick(chance: random.Random, weights: dict[T, int]) -> T:
    return chance.choices(tuple(weights), tuple(weights.values()))[0]
