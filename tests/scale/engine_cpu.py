"""`python -m tests.scale.engine_cpu [RUNS]`: the processor time of an engine for each submission and run."""

from __future__ import annotations

import asyncio
import sys

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language
from tests.benchmarks.bench_console import engine_of

WARM_UP = 5
CODE = (
    "import json\n\nrows = [{{'n': n, 'square': n * n}} for n in range({number})]\nprint(json.dumps(rows))\n"
)


async def measure(runs: int) -> tuple[float, float]:
    """Return the seconds that each submission took, and each decision with its run."""
    async with engine_of() as (engine, client):
        for number in range(WARM_UP):
            await _run(client, await _submit(client, number))
        begun = engine.cpu_seconds()
        cases = [await _submit(client, WARM_UP + number) for number in range(runs)]
        submitted = engine.cpu_seconds()
        for case in cases:
            await _run(client, case)
        ended = engine.cpu_seconds()
    return (submitted - begun) / runs, (ended - submitted) / runs


async def _submit(client: Client, number: int) -> Case:
    return await client.submit(Draft(code=Untrusted(CODE.format(number=number)), language=Language.PYTHON))


async def _run(client: Client, case: Case) -> None:
    submission = case.submission
    await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest, "to measure")
    await client.case(submission.id, within=60)


if __name__ == "__main__":
    each, run = asyncio.run(measure(int(sys.argv[1]) if sys.argv[1:] else 40))
    print(f"a submission {each * 1000:.0f} ms, its decision and run {run * 1000:.0f} ms of a core")
