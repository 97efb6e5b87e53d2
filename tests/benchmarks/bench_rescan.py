"""A rescan of stored code at a whole core: snippets a second, and how much slower submissions are meanwhile.

`PRATIQUE_BENCH_SNIPPETS` says how many are stored. Each is code of its own, which no other analysis covers.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Draft, Language
from engine.models.rescan import RescanState
from tests.benchmarks.bench_server import ROOM, SNIPPET
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

LEAST = 300
CALLERS = 8
SAMPLES = 40
POLL_SECONDS = 0.02


async def rows() -> list[Row]:
    """Measure."""
    count = int(os.environ.get("PRATIQUE_BENCH_SNIPPETS", "1000"))
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(Path(folder), DOCKER_HOST=f"unix://{folder}/none", **ROOM)
        engine.start()
        try:
            async with engine.client("bench") as client:
                await _fill(client, count)
                alone = await _submissions(client, count)
                rate = await _rescan(client, engine)
                slower = await _beside(client, count)
        finally:
            engine.end()
    p50, p95, p99 = percentiles(alone)
    during = percentiles(slower)
    name = "rescan of stored code, of one core"
    return [
        Row(name, rate, rate, rate, "/s", None, None, f">= {LEAST}/s", rate >= LEAST),
        Row("submit beside a rescan at half a core", *during, "ms", p50, p50 / during[0], "", None),
        Row("submit without a rescan", p50, p95, p99, "ms", None, None, "", None),
    ]


async def _fill(client: Client, count: int) -> None:
    left = iter(range(count))

    async def caller() -> None:
        for number in left:
            await client.submit(_draft(number))

    async with asyncio.TaskGroup() as callers:
        for _ in range(CALLERS):
            callers.create_task(caller())
    await asyncio.sleep(1.1)  # a rescan takes what was submitted before the second in which it began


async def _rescan(client: Client, engine: EngineProcess) -> float:
    """Return how many snippets are rescanned in a second of processor time, of engine and workers."""
    before = engine.cpu_seconds()
    begun = await client.rescans.begin("", 1.0)
    while (now := await client.rescans.list())[0].state is RescanState.RUNNING:
        await asyncio.sleep(POLL_SECONDS)
    assert now[0].id == begun.id
    return now[0].done / (engine.cpu_seconds() - before)


async def _submissions(client: Client, first: int) -> list[float]:
    """Return how many milliseconds each of some submissions takes."""
    took = []
    for number in range(SAMPLES):
        began = time.perf_counter()
        await client.submit(_draft(10 * first + number))
        took.append(1e3 * (time.perf_counter() - began))
    return took


async def _beside(client: Client, count: int) -> list[float]:
    """Return the same while a rescan goes on."""
    begun = await client.rescans.begin("", 0.5)
    took = await _submissions(client, 2 * count)
    if (await client.rescans.list())[0].state is RescanState.RUNNING:
        await client.rescans.stop(begun.id)
    return took


def _draft(number: int) -> Draft:
    return Draft(code=Untrusted(SNIPPET.format(n=number)), language=Language.PYTHON)
