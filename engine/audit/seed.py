"""A made-up history of any size, to try things on. It never goes where real events are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from engine.audit import blobs, cases, chain
from engine.audit.blocks import MeterBlock, OutputBlock
from engine.audit.errors import AuditError
from engine.audit.ledger import ENGINE, Entry, Ledger
from engine.audit.words import index_some
from engine.audit.writer import open_ledger, take_lock
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Decision,
    Draft,
    KillReason,
    Language,
    Level,
    Meters,
    OutputChunk,
    Principal,
    Result,
    Status,
    Stream,
    Submission,
    Verdict,
)
from engine.settings import AuditSettings
from engine.text import Untrusted

T = TypeVar("T")
Progress = Callable[[int, int], None]
BATCH = 1000
"""Runs in one transaction."""
YEAR = timedelta(days=365)
TEXTS = 5000
"""So many different codes and outputs there are."""
BEGIN = datetime(2025, 11, 21, tzinfo=UTC)
REVIEWERS = ("alice", "bob", "carol", "dave")
WORDS = ("pandas", "requests", "socket", "numpy", "matplotlib", "subprocess", "json", "csv", "math", "re")
RISKS = {Level.LOW: 60, Level.MEDIUM: 25, Level.HIGH: 12, Level.CRITICAL: 3}
LANGUAGES = {Language.PYTHON: 80, Language.SHELL: 12, Language.JAVASCRIPT: 8}
KILLS = {KillReason.NONE: 95, KillReason.TIMEOUT: 3, KillReason.MEMORY: 1, KillReason.OUTPUT: 1}


def seed_history(path: Path, runs: int, seed: int, progress: Progress | None = None) -> int:
    """Write a history of so many made-up runs at `path` and return its number of events.

    Raises:
        AuditError: there are events already.
    """
    lock = take_lock(path)
    ledger = open_ledger(path, AuditSettings(checkpoint_events=10_000_000))
    try:
        if ledger.tree.size:
            raise AuditError(f"{path} has events already", mend="Set PRATIQUE_HOME to an empty folder")
        ledger.connection.execute("PRAGMA synchronous = OFF")
        _fill(ledger, runs, random.Random(seed), progress)  # noqa: S311  made up, and the same for the same seed
    finally:
        ledger.connection.close()
        lock.close()
    return ledger.tree.size


def _fill(ledger: Ledger, runs: int, chance: random.Random, progress: Progress | None) -> None:
    for first in range(0, runs, BATCH):
        ledger.begin()
        for number in range(first, min(first + BATCH, runs)):
            _write(ledger, _Run(number, runs, chance))
        if progress:
            progress(min(first + BATCH, runs), runs)
        if first + BATCH >= runs:
            ledger.checkpoint()
        ledger.commit()
    more = True
    while more:
        ledger.begin()
        more = any(index_some(ledger.connection) for _ in range(100))
        ledger.commit()


def _write(ledger: Ledger, run: _Run) -> None:
    frozen = cases.freeze(run.case())
    entries = [
        Entry(at, kind, run.id, actor, chain.canonical_data(data))
        for at, kind, actor, data in run.events(frozen.sha256)
    ]
    records = ledger.append_all(entries)
    number = cases.write(ledger.connection, frozen, records[-1].seq, entries[-1].at)
    if run.approved:
        output = blobs.put(ledger.connection, run.output, blobs.digest_of(run.output), entries[-1].at)
        blobs.use(ledger.connection, number, [output])


def _pick(chance: random.Random, weights: dict[T, int]) -> T:
    return chance.choices(tuple(weights), tuple(weights.values()))[0]


@dataclass
class _Run:
    """One made-up submission and what became of it."""

    number: int
    runs: int
    chance: random.Random

    def __post_init__(self) -> None:
        self.id = f"s-{self.number:09}"
        self.at = BEGIN + YEAR * (self.number / self.runs)
        self.risk = _pick(self.chance, RISKS)
        self.language = _pick(self.chance, LANGUAGES)
        self.kill = _pick(self.chance, KILLS)
        self.approved = self.chance.random() < 0.9
        self.requester = Principal(name=Untrusted(f"agent-{int(self.chance.paretovariate(1)) % 50}"))
        self.reviewer = Principal(name=Untrusted(self.chance.choice(REVIEWERS)))
        self.seconds = round(self.chance.expovariate(0.5), 3)
        text = self.chance.randrange(TEXTS)
        self.code = f"import {WORDS[text % len(WORDS)]}\n# made-up code {text}\nprint({text})\n"
        self.output = f"result of {text}: {'x' * (text % 97)}\n".encode()

    def case(self) -> Case:
        """Return it at its end."""
        return Case(
            submission=self._submission(),
            status=self._status(),
            analysis=Analysis(seconds=0.01),
            assessment=Assessment(risk=self.risk, matches=(), deadline_seconds=60),
            decision=self._decision(),
            result=self._result() if self.approved else None,
        )

    def events(self, state: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
        """Yield its events: when, what, who, and what they say."""
        asked, decided = self.requester.name.text, self.reviewer.name.text
        digest = blobs.digest_of(self.code.encode())
        told: list[tuple[str, str, dict[str, Any]]] = [
            ("submitted", asked, {"digest": digest, "language": self.language.value, "purpose": ""}),
            ("analysed", ENGINE, {"rules": [], "complete": True, "seconds": 0.01}),
            ("classified", ENGINE, {"risk": self.risk.value, "rules": []}),
            ("decided", decided, self._decision().model_dump(mode="json")),
        ]
        if self.approved:
            told += self._ran()
        told[-1][2]["case_sha256"] = state
        for step, (kind, actor, data) in enumerate(told):
            yield chain.stamp(self.at + timedelta(seconds=step)), kind, actor, data

    def _ran(self) -> list[tuple[str, str, dict[str, Any]]]:
        box = {"sandbox": "made-up", "image": "made-up", "runtime": "runsc"}
        sample = Meters(at=0.5, cpu=0.5, memory=1 << 24, memory_peak=1 << 24, processes=1)
        chunk = OutputChunk(stream=Stream.STDOUT, at=0.1, offset=0, data=self.output)
        limits = Draft(code=Untrusted(""), language=self.language).capabilities.limits
        block = OutputBlock.of([chunk], blobs.digest_of(self.output))
        return [
            ("sandbox.taken", ENGINE, box),
            ("run.started", ENGINE, {"sandbox": "made-up", "limits": limits.model_dump(mode="json")}),
            ("output", ENGINE, block.model_dump(mode="json")),
            ("meters", ENGINE, MeterBlock(samples=(sample,)).model_dump(mode="json")),
            ("sandbox.destroyed", ENGINE, {"sandbox": "made-up", "gone": True}),
            ("run.ended", ENGINE, self._result().model_dump(mode="json")),
        ]

    def _submission(self) -> Submission:
        draft = Draft(code=Untrusted(self.code), language=self.language)
        digest = blobs.digest_of(self.code.encode())
        return Submission(
            id=self.id, draft=draft, requester=self.requester, submitted_at=self.at, digest=digest
        )

    def _status(self) -> Status:
        if not self.approved:
            return Status.DENIED
        return Status.FINISHED if self.kill is KillReason.NONE else Status.KILLED

    def _decision(self) -> Decision:
        return Decision(
            submission=self.id,
            digest=blobs.digest_of(self.code.encode()),
            verdict=Verdict.APPROVED if self.approved else Verdict.DENIED,
            by=self.reviewer,
            at=self.at + timedelta(seconds=3),
        )

    def _result(self) -> Result:
        return Result(
            exit_code=0 if self.kill is KillReason.NONE else None,
            kill_reason=self.kill,
            duration=self.seconds,
            memory_peak=1 << 24,
            stdout_bytes=len(self.output),
            stderr_bytes=0,
            truncated=False,
            image_digest="made-up",
            runtime="runsc",
        )
