"""Speed of risk assessment, and of `pratique policy diff` over a history.

python -m tests.benchmarks.bench_policy [SUBMISSIONS]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from engine.common.text import Untrusted
from engine.history.store.sqlite.scan import every_case
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Analysis,
    Case,
    Certainty,
    Confidence,
    Draft,
    EffectKind,
    Language,
    Level,
    Permissions,
    PredictedEffect,
    Principal,
    Span,
    Status,
    Submission,
    Violation,
)
from engine.policy import assess, load, shipped
from engine.policy.files.policy_diff import PastSubmission, policy_diff
from engine.settings import HistorySettings
from tests.benchmarks.__main__ import table
from tests.benchmarks.row import Row

NEW = """
rules:
  - {id: clean-code, enabled: true}
  - {id: miner, refuse: true, when: {code: '(?i)xmrig'}}
"""
DATA = {"risk": "high", "rules": []}
AGENT = Principal(name=Untrusted("agent"))
SUBMISSIONS = 100_000
CLASSIFIED = 10_000


def cases(count: int) -> Iterator[Case]:
    """Yield cases with different lengths, violations, effects and permissions."""
    chance = Random(4)  # noqa: S311  the same history every time
    policy = shipped()
    for number in range(count):
        lines = (f"sum_{chance.randrange(90)} += {chance.random()}" for _ in range(chance.randrange(5, 120)))
        hosts = (Untrusted(f"host-{number}.example"),) if number % 10 == 0 else ()
        draft = Draft(
            code=Untrusted("\n".join((f"total = {number}", *lines))),
            language=Language.PYTHON,
            permissions=Permissions(domains=hosts),
        )
        analysis = Analysis(
            violations=tuple(violation(chance) for _ in range(number % 4)),
            effects=tuple(effect(chance) for _ in range(number % 3)),
        )
        made = datetime.now(UTC)
        digest = f"{number:064x}"
        yield Case(
            submission=Submission(
                id=f"s-{number:07}", draft=draft, requester=AGENT, submitted_at=made, digest=digest
            ),
            status=Status.DENIED,
            analysis=analysis,
            assessment=assess(draft, analysis, policy),
        )


def violation(chance: Random) -> Violation:
    """Return a violation of one of forty rules."""
    rule, line = chance.randrange(40), chance.randrange(1, 100)
    return Violation(
        rule=f"py-rule-{rule}",
        severity=chance.choice(list(Level)),
        confidence=Confidence.HIGH,
        category=f"category_{rule % 12}",
        span=Span(line=line, column=1, end_line=line, end_column=5),
        message=Untrusted(f"number {chance.randrange(1000)} of them"),
    )


def effect(chance: Random) -> PredictedEffect:
    """Return a predicted effect."""
    return PredictedEffect(
        kind=chance.choice(list(EffectKind)),
        value=Untrusted(f"thing-{chance.randrange(1000)}"),
        certainty=Certainty.EXACT,
        lines=(chance.randrange(1, 100),),
    )


async def fill(path: Path, count: int) -> None:
    """Write a history of `count` cases."""
    log = await SqliteHistoryStore.open(path, HistorySettings())
    for case in cases(count):
        await log.append(
            "submission.assessed", case.submission.id, AGENT.name, DATA, case=case, durable=False
        )
    await log.close()


def stored(path: Path) -> Iterator[PastSubmission]:
    """Yield the stored submissions."""
    for case in every_case(path):
        yield PastSubmission(case.submission.id, case.submission.draft, case.analysis)


def classified() -> float:
    """Return the submissions assessed per second of CPU time."""
    made = [(case.submission.draft, case.analysis) for case in cases(CLASSIFIED)]
    policy = shipped()
    start = time.process_time()
    for draft, analysis in made:
        assess(draft, analysis, policy)
    return CLASSIFIED / (time.process_time() - start)


async def replayed(count: int) -> tuple[float, float, int]:
    """Return wall and CPU seconds of a diff, and the number of differences."""
    with tempfile.TemporaryDirectory() as folder:
        path, new = Path(folder) / "history.db", Path(folder) / "new.yaml"
        new.write_text(NEW)
        await fill(path, count)
        start, busy = time.perf_counter(), time.process_time()
        found = policy_diff(stored(path), shipped(), load(new))
        return time.perf_counter() - start, time.process_time() - busy, len(found)


async def rows(count: int = SUBMISSIONS) -> list[Row]:
    """Run all measurements."""
    speed = classified()
    wall, busy, differ = await replayed(count)
    name = f"policy diff over {count:,} submissions, {differ:,} differ"
    return [
        Row("assess risk", speed, speed, speed, "submissions/s of CPU", None, None, "", None),
        Row(name, wall, wall, wall, "s", None, None, "< 30 s", wall < 30),
        Row(f"{name}, CPU", busy, busy, busy, "s", None, None, "", None),
    ]


if __name__ == "__main__":
    target = int(sys.argv[1]) if len(sys.argv) > 1 else SUBMISSIONS
    sys.stdout.writelines(f"{line}\n" for line in table(asyncio.run(rows(target))))
