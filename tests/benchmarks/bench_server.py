"""The HTTP API over the Unix socket: submitting, waiting clients, streaming output."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome, Draft, Language, OutputChunk, Stream
from engine.settings import HistorySettings
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

SINGLE = 200
SUSTAINED = 600
CALLERS = 8
AGENTS = 500
STREAMED = 64 << 20
CHUNK = 64 << 10
PROBE = "s-nothing"
ROOM = {
    "PRATIQUE_SERVER__MAX_PENDING": "100000",
    "PRATIQUE_SERVER__MAX_PENDING_EACH": "100000",
    "PRATIQUE_SERVER__INBOX": "false",
    "PRATIQUE_POLICY__SUBMISSIONS_PER_MINUTE": "1000000",
    "PRATIQUE_POLICY__SUBMISSIONS_BURST": "1000000",
    "PRATIQUE_POLICY__DEADLINES": '{"medium": 3600, "high": 3600, "critical": 3600}',
}
SNIPPET = """import json
import math

def mean(values):
    return sum(values) / len(values)

def deviation(values):
    middle = mean(values)
    return math.sqrt(sum((one - middle) ** 2 for one in values) / len(values))

values = [{n}, 2, 3, 5, 8, 13]
told = {{
    "mean": mean(values),
    "deviation": deviation(values),
    "most": max(values),
    "least": min(values),
}}
for name, value in told.items():
    print(name, round(value, 3))
print(json.dumps(told))
"""


async def rows() -> list[Row]:
    """Run all measurements."""
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(Path(folder), **ROOM)
        async with _running(engine) as client:
            submitted = await _submitting(client)
            pending = await _many_waiting(engine, client)
            run = (await client.submit(_draft())).submission
            await client.decide(run.id, DecisionOutcome.DENIED, run.digest)
        await _write_output(Path(folder), run.id)
        async with _running(engine) as client:
            return [*submitted, *pending, await _streaming(client, run.id)]


@asynccontextmanager
async def _running(engine: EngineProcess) -> AsyncIterator[Client]:
    engine.start()
    try:
        async with engine.client("bench") as client:
            yield client
    finally:
        engine.end()


async def _submitting(client: Client) -> list[Row]:
    bare = [await _timed(lambda: _nothing(client)) for _ in range(SINGLE)]
    single = [await _timed(lambda: client.submit(_draft())) for _ in range(SINGLE)]
    took = await _timed(lambda: _sustained(client))
    round_trip = percentiles(bare)[0]
    p50, p95, p99 = percentiles(single)
    passed = p50 < 10 and p99 < 50
    name = "submit: stored, analyzed, assessed, answered"
    target = "p50 < 10 ms, p99 < 50 ms"
    latency = Row(name, p50, p95, p99, "ms", round_trip, round_trip / p50, target, passed)
    rate = SUSTAINED / (took / 1000)
    return [
        latency,
        Row(f"submit, {CALLERS} at once", rate, rate, rate, "/s", None, None, ">= 200/s", rate >= 200),
    ]


async def _many_waiting(engine: EngineProcess, client: Client) -> list[Row]:
    before = _resident_mb(engine)
    async with asyncio.TaskGroup() as agents:
        pending = [agents.create_task(_agent(engine)) for _ in range(AGENTS)]
        await _until_all_wait(client, AGENTS)
        grown = _resident_mb(engine) - before
        during = [await _timed(lambda: client.submit(_draft())) for _ in range(SINGLE)]
        for agent in pending:
            agent.cancel()
    p50, p95, p99 = percentiles(during)
    return [
        Row(
            f"{AGENTS} waiting agents: memory",
            grown,
            grown,
            grown,
            "MB",
            before,
            None,
            "< 100 MB",
            grown < 100,
        ),
        Row(f"submit beside {AGENTS} waiting", p50, p95, p99, "ms", None, None, "p99 < 100 ms", p99 < 100),
    ]


async def _agent(engine: EngineProcess) -> None:
    async with engine.client("agent") as client:
        case = await client.submit(_draft())
        while True:
            case = await client.case(case.submission.id, within=50)


async def _until_all_wait(client: Client, agents: int) -> None:
    while len(await client.queue()) < agents:
        await asyncio.sleep(0.2)


async def _streaming(client: Client, id: str) -> Row:
    async def read() -> None:
        got = 0
        async for chunk in client.output(id):
            got += len(chunk.data)
        if got != STREAMED:
            raise Problem(500, f"{got} of {STREAMED} bytes received")

    rates = [(STREAMED / 1e6) / (await _timed(read) / 1000) for _ in range(3)]
    p50, p95, p99 = percentiles(rates)
    return Row(
        "stream to one reader, from the history", p50, p95, p99, "MB/s", None, None, ">= 50 MB/s", p50 >= 50
    )


async def _write_output(home: Path, id: str) -> None:
    """Write a large output into the history of a submission."""
    log = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    noise = random.Random(1)  # noqa: S311
    for offset in range(0, STREAMED, CHUNK):
        data = noise.randbytes(CHUNK // 4).hex().encode() + b"line\n" * (CHUNK // 10)
        chunk = OutputChunk(stream=Stream.STDOUT, at=0.0, offset=offset, data=data[:CHUNK].ljust(CHUNK))
        await log.append_output(id, [chunk])
    await log.close()


async def _sustained(client: Client) -> None:
    left = iter(range(SUSTAINED))

    async def caller() -> None:
        for _ in left:
            await client.submit(_draft())

    async with asyncio.TaskGroup() as callers:
        for _ in range(CALLERS):
            callers.create_task(caller())


async def _nothing(client: Client) -> None:
    """Make the shortest round trip: a request for an unknown path."""
    try:
        await client.withdraw(PROBE)
    except Problem:
        return


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


def _draft() -> Draft:
    return Draft(code=Untrusted(SNIPPET.format(n=next(_NUMBERS))), language=Language.PYTHON)


_NUMBERS = iter(range(1_000_000))


def _resident_mb(engine: EngineProcess) -> float:
    pages = int(Path(f"/proc/{engine.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
