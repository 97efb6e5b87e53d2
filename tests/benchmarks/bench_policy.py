"""How many submissions a second are classified, and how long a policy takes to be replayed over history.

python tests/benchmarks/bench_policy.py [SUBMISSIONS]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from engine.audit import AuditLog
from engine.audit.sweep import every_case
from engine.models import (
    Analysis,
    Capabilities,
    Case,
    Confidence,
    Draft,
    Language,
    Level,
    Principal,
    Span,
    Status,
    Submission,
    Violation,
)
from engine.policy import assess, load, shipped
from engine.policy.whatif import Stored, flips
from engine.settings import AuditSettings
from engine.text import Untrusted

NEW = """
rules:
  - {id: clean-code, enabled: true}
  - {id: miner, refuse: true, when: {code: '(?i)xmrig'}}
"""
DATA = {"risk": "high", "rules": []}
ANALYST = Principal(name=Untrusted("agent"))


def cases(count: int) -> Iterator[Case]:
    """Yield cases of about forty lines, three in four with violations, each with code of its own."""
    for number in range(count):
        code = f"total = {number}\n" + "total += sum(range(10))\n" * 40
        draft = Draft(
            code=Untrusted(code),
            language=Language.PYTHON,
            capabilities=Capabilities(domains=(Untrusted("example.org"),) if number % 10 == 0 else ()),
        )
        analysis = Analysis(violations=tuple(violation(number + n) for n in range(number % 4)))
        yield Case(
            submission=Submission(
                id=f"s-{number:07}",
                draft=draft,
                requester=ANALYST,
                submitted_at=datetime.now(UTC),
                digest=f"{number:064x}",
            ),
            status=Status.DENIED,
            analysis=analysis,
            assessment=assess(draft, analysis, shipped()),
        )


def violation(number: int) -> Violation:
    """Return a violation, of varying severity."""
    return Violation(
        rule="py-eval",
        severity=list(Level)[number % 4],
        confidence=Confidence.HIGH,
        category="exec_eval",
        span=Span(line=1, column=1, end_line=1, end_column=5),
        message=Untrusted("eval of a name"),
    )


async def fill(path: Path, count: int) -> None:
    """Write a history of so many cases."""
    log = await AuditLog.open(path, AuditSettings())
    for case in cases(count):
        await log.append("classified", case.submission.id, ANALYST.name, DATA, case=case, durable=False)
    await log.close()


def stored(path: Path) -> Iterator[Stored]:
    """Yield what a policy is replayed over."""
    for case in every_case(path):
        yield Stored(case.submission.id, case.submission.draft, case.analysis)


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


def main(count: int) -> None:
    """Measure and print."""
    made = [(case.submission.draft, case.analysis) for case in cases(10_000)]
    start = time.process_time()
    for draft, analysis in made:
        assess(draft, analysis, shipped())
    seconds = time.process_time() - start
    say(f"classify: {10_000 / seconds:,.0f} submissions a second of processor time")
    with tempfile.TemporaryDirectory() as folder:
        path, new = Path(folder) / "history.db", Path(folder) / "new.yaml"
        new.write_text(NEW)
        asyncio.run(fill(path, count))
        start, busy = time.perf_counter(), time.process_time()
        found = flips(stored(path), shipped(), load(new))
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
    say(f"policy diff: {count:,} submissions in {seconds:.1f} s, {busy:.1f} s of them processor time")
    say(f"{len(found):,} differ; asked for are 100,000 in 30 s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
