"""`python -m tests.mutation [PART-OF-A-PATH...]`: mutate the modules that decide; see whether tests notice.

Prints every mutant that survived, with its judgement from `survivors.toml` where there is one. Fails where
fewer than 95 in 100 were killed, or where a survivor has no judgement.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutation import runner
from tests.mutation.operators import Mutant, mutants
from tests.mutation.targets import TARGETS

LEAST_SHARE = 0.95
JUDGED = Path(__file__).with_name("survivors.toml")


@dataclass(frozen=True)
class Job:
    """A mutant of a module, and the tests that may kill it."""

    module: str
    mutant: Mutant
    tests: tuple[str, ...]
    seconds: float


def judged() -> dict[str, dict[str, str]]:
    """Return the judgements on survivors: by module, then by the mutant's key."""
    found: dict[str, dict[str, str]] = tomllib.loads(JUDGED.read_text(encoding="utf-8"))
    return found


def _jobs(wanted: list[str]) -> Iterator[Job]:
    for module, tests in TARGETS.items():
        if wanted and not any(part in module for part in wanted):
            continue
        source = Path(module).read_text(encoding="utf-8")
        began = time.monotonic()
        if runner.run(Path(module), source, tests, 300) != runner.Outcome.SURVIVED:
            sys.exit(f"{module}: {' '.join(tests)} fail without any change. Mend them first.")
        seconds = 10 + 4 * (time.monotonic() - began)
        yield from (Job(module, mutant, tests, seconds) for mutant in mutants(source))


def _try(job: Job) -> tuple[Job, str]:
    return job, runner.run(Path(job.module), job.mutant.source, job.tests, job.seconds)


def main(wanted: list[str]) -> int:
    """Run everything; return 1 where a limit is missed."""
    runner.preload()
    known, alive, total, unjudged, late = judged(), 0, 0, 0, 0
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=None) as pool:
        for job, outcome in pool.imap_unordered(_try, list(_jobs(wanted))):
            total += 1
            late += outcome == runner.Outcome.LATE
            if outcome != runner.Outcome.SURVIVED:
                continue
            alive += 1
            judgement = known.get(job.module, {}).get(job.mutant.key, "")
            unjudged += not judgement
            print(
                f"{job.module}:{job.mutant.line}: {job.mutant.key}\n    {judgement or 'NOT JUDGED'}",
                flush=True,
            )
    killed = total - alive
    share = f"{killed / max(total, 1):.1%}"
    print(f"{killed} of {total} mutants killed ({share}), {late} by time; {unjudged} survivors unjudged")
    return int(killed < LEAST_SHARE * total or unjudged > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
