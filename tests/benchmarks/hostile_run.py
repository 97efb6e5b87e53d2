"""Analyze hostile files in worker processes, and report failures and the slowest files.

python -m tests.benchmarks.hostile_run [--count 10000] [--seed 0]

What is asked is asked of files that are adversarial by construction: each holds the payload, or is no text.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from engine.analysis_pool import AnalysisPool
from engine.cli.analysis.batch import Item, analyse_all
from engine.models import Analysis
from engine.settings import AnalysisSettings
from tests.benchmarks.hostile import Hostile, fault, hostile
from tests.benchmarks.row import percentiles

FAULTS = ("crashed", "late", "passed")
_SLOWEST = 10
_EVERY = 500


@dataclass
class Outcome:
    """The outcomes of the files, by kind."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """How long the worker took for each file that it answered."""
    faults: dict[str, list[tuple[int, Hostile]]] = field(
        default_factory=lambda: {name: [] for name in FAULTS}
    )
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    delayed: int = 0
    """How many were late beside others."""
    started: float = field(default_factory=time.monotonic)

    def take(self, item: Item, analysis: Analysis) -> None:
        """Count one file."""
        number, one = cast("tuple[int, Hostile]", item.id)
        self.seconds[one.kind].append(analysis.seconds)
        if found := fault(analysis):
            self.faults[found].append((number, one))
        entry = (analysis.seconds, number, f"{one.kind} {one.language}, {len(one.source):,} long")
        self.slowest = heapq.nlargest(_SLOWEST, [*self.slowest, entry])
        if (done := self.count) % _EVERY == 0:
            self._progress(done)

    @property
    def count(self) -> int:
        """How many files were analysed."""
        return sum(map(len, self.seconds.values()))

    def _progress(self, done: int) -> None:
        faults = ", ".join(f"{len(ones)} {name}" for name, ones in self.faults.items())
        sys.stderr.write(f"{done:,} hostile files after {time.monotonic() - self.started:.0f} s: {faults}\n")

    def lines(self) -> Iterator[str]:
        """Yield a table by kind, the slowest files, and the first of those that broke something."""
        yield f"{'kind':<10}{'files':>8}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}" + "".join(
            f"{n:>9}" for n in FAULTS
        )
        for kind, seconds in sorted(self.seconds.items()):
            p50, _, p99 = (1000 * value for value in percentiles(seconds))
            broken = [sum(one.kind == kind for _, one in self.faults[name]) for name in FAULTS]
            times = f"{p50:>9.1f}{p99:>9.1f}{1000 * max(seconds):>9.1f}"
            yield f"{kind:<10}{len(seconds):>8,}{times}" + "".join(f"{count:>9}" for count in broken)
        yield f"  late beside others, and tried once more alone: {self.delayed}"
        for took, number, what in self.slowest:
            yield f"  slow: {took:.2f} s, number {number}: {what}"
        for name, ones in self.faults.items():
            for number, one in ones[:20]:
                yield f"  {name}: number {number}: {one.kind} {one.language}: {one.source[:60]!r}"


async def run(count: int, seed: int = 0) -> Outcome:
    """Analyse so many hostile files."""
    outcome = Outcome()
    files = enumerate(hostile(count, seed))
    items = (Item((number, one), one.language, one.source) for number, one in files)
    await analyse_all(items, AnalysisSettings(), outcome.take)
    await _once_more(outcome)
    return outcome


async def _once_more(outcome: Outcome) -> None:
    """Analyse what was late again, one at a time: a machine with too much to do makes anything late."""
    analysis_pool = AnalysisPool()
    late, outcome.faults["late"] = outcome.faults["late"], []
    outcome.delayed = len(late)
    try:
        for number, one in late:
            if found := fault(await analysis_pool.analyse(one.source, one.language)):
                outcome.faults[found].append((number, one))
    finally:
        await analysis_pool.close()


def main() -> int:
    """Print the tables; return 1 where a file broke the analysis or passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    outcome = asyncio.run(run(chosen.count, chosen.seed))
    sys.stdout.writelines(f"{line}\n" for line in outcome.lines())
    return 1 if any(outcome.faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
