"""`python -m tests.mutation [PART-OF-A-PATH...]`: mutate the modules that decide; see whether tests notice.

Prints every mutant that survived, with its judgement from `survivors.toml` where there is one. Fails where
fewer than 95 in 100 were killed, or where a survivor has no judgement. What an earlier run found out about
the same module and the same tests is taken from `build/mutants.jsonl`; `--known` tries nothing and counts
that alone. `PRATIQUE_MUTANTS_AT_ONCE` is how many are tried at once, otherwise one for each processor.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutation import runner
from tests.mutation.operators import Mutant, mutants
from tests.mutation.results import Results, fingerprint
from tests.mutation.targets import TARGETS

LEAST_SHARE = 0.95
JUDGED = Path(__file__).with_name("survivors.toml")
AT_ONCE = "PRATIQUE_MUTANTS_AT_ONCE"
KNOWN = "--known"


@dataclass(frozen=True)
class Job:
    """A mutant of a module, and the tests that may kill it."""

    module: str
    number: int
    mutant: Mutant
    tests: tuple[str, ...]
    seconds: float


@dataclass
class Count:
    """How many mutants were tried, and what became of them."""

    judged: dict[str, dict[str, str]]
    total: int = 0
    alive: int = 0
    late: int = 0
    unjudged: int = 0
    untried: list[str] = field(default_factory=list)

    def add(self, module: str, mutant: Mutant, outcome: str) -> None:
        """Count a mutant; print one that survived."""
        self.total += 1
        self.late += outcome == runner.Outcome.LATE
        if outcome != runner.Outcome.SURVIVED:
            return
        self.alive += 1
        judgement = self.judged.get(module, {}).get(mutant.key, "")
        self.unjudged += not judgement
        print(f"{module}:{mutant.line}: {mutant.key}\n    {judgement or 'NOT JUDGED'}", flush=True)

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return self.total - self.alive

    @property
    def enough(self) -> bool:
        """Whether the limits are kept."""
        return self.killed >= LEAST_SHARE * self.total and not self.unjudged and not self.untried

    def __str__(self) -> str:
        share = f"{self.killed / max(self.total, 1):.1%}"
        untried = f"; not tried: {', '.join(self.untried)}" if self.untried else ""
        return (
            f"{self.killed} of {self.total} mutants killed ({share}), {self.late} by time; "
            f"{self.unjudged} survivors unjudged{untried}"
        )


def judged() -> dict[str, dict[str, str]]:
    """Return the judgements on survivors: by module, then by the mutant's key."""
    found: dict[str, dict[str, str]] = tomllib.loads(JUDGED.read_text(encoding="utf-8"))
    return found


def _seconds(module: str, source: str, tests: tuple[str, ...]) -> float | None:
    """Return the time that the tests may take with a mutant; None where they fail without one."""
    began = time.monotonic()
    if runner.run(Path(module), source, tests, 300) != runner.Outcome.SURVIVED:
        return None
    return 10 + 4 * (time.monotonic() - began)


def _try(job: Job) -> tuple[Job, str]:
    return job, runner.run(Path(job.module), job.mutant.source, job.tests, job.seconds)


def _count_module(module: str, count: Count, results: Results, *, trying: bool) -> None:
    """Count the mutants of a module: from an earlier run, and else by trying them."""
    source, same = Path(module).read_text(encoding="utf-8"), fingerprint(module, TARGETS[module])
    left = list[tuple[int, Mutant]]()
    for number, mutant in enumerate(mutants(source)):
        if (outcome := results.find(same, number)) is None:
            left.append((number, mutant))
        else:
            count.add(module, mutant, outcome)
    if left and not trying:
        count.untried.append(f"{len(left)} of {module}")
    elif left:
        for job, outcome in _tried(module, source, left):
            results.add(same, job.number, outcome)
            count.add(module, job.mutant, outcome)


def _tried(module: str, source: str, left: list[tuple[int, Mutant]]) -> Iterator[tuple[Job, str]]:
    """Try mutants of a module, several at once."""
    tests, at_once = TARGETS[module], int(os.environ.get(AT_ONCE) or os.cpu_count() or 1)
    fork = multiprocessing.get_context("fork")
    with fork.Pool(at_once, runner.preload_project, (module, tests)) as pool:
        seconds = pool.apply(_seconds, (module, source, tests))
        if seconds is None:
            sys.exit(f"{module}: {' '.join(tests)} fail without any change. Mend them first.")
        jobs = (Job(module, number, mutant, tests, seconds) for number, mutant in left)
        yield from pool.imap_unordered(_try, jobs)


def _wanted(parts: Iterable[str]) -> Iterator[str]:
    parts = tuple(parts)
    return (module for module in TARGETS if not parts or any(part in module for part in parts))


def main(arguments: list[str]) -> int:
    """Count everything that is wanted; return 1 where a limit is missed."""
    count, results, trying = Count(judged()), Results(), KNOWN not in arguments
    if trying:
        runner.preload()
    for module in _wanted(word for word in arguments if word != KNOWN):
        _count_module(module, count, results, trying=trying)
    print(count)
    return int(not count.enough)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
