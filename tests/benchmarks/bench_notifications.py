"""Notices: how soon one follows a submission, and what comes of a thousand while the receiver is down."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Draft, Language
from tests.benchmarks.bench_server import ROOM
from tests.benchmarks.row import Row, percentiles
from tests.engine.notifications.receivers import Inbox, listening
from tests.engine_process import EngineProcess

SINGLE = 100
QUEUED = 1000
DOWN_SECONDS = 60.0
"""How long the receiver is down at least; the pause between attempts has its longest value by then."""
TARGET_MS = 1000.0


async def rows() -> list[Row]:
    """Run both measurements."""
    return [await latency(SINGLE), *await outage(QUEUED, DOWN_SECONDS)]


async def latency(count: int) -> Row:
    """Measure the time from the answer to a submission until its notice has come."""
    inbox, took = Inbox(), []
    with listening(inbox) as port:
        async with _engine(port) as client:
            for number in range(count):
                await _submit(client, number)
                began = time.perf_counter()
                await asyncio.to_thread(inbox.wait_for, number + 1)
                took.append((time.perf_counter() - began) * 1000)
    p50, p95, p99 = percentiles(took)
    passed = p95 <= TARGET_MS
    return Row("notice after a submission", p50, p95, p99, "ms", None, None, "p95 <= 1000 ms", passed)


async def outage(count: int, down: float) -> list[Row]:
    """Submit while the receiver is down; count what never comes, and what comes twice, once it is up."""
    inbox = Inbox()
    with listening(inbox) as port:
        pass
    async with _engine(port) as client:
        began = time.perf_counter()
        sent = {f"waiting-{await _submit(client, number)}" for number in range(count)}
        await asyncio.sleep(max(0, down - (time.perf_counter() - began)))
        with listening(inbox, port):
            up = time.perf_counter()
            await asyncio.to_thread(inbox.wait_for, count, 600)
            drained = time.perf_counter() - up
            await asyncio.sleep(2 * _SETTLED)
            came = [json.loads(post.body)["id"] for post in inbox.posts]
    lost, twice = len(sent - set(came)), len(came) - len(set(came))
    name = f"{count} notices kept while the receiver is down"
    return [
        Row(f"{name}: lost", lost, lost, lost, "", None, None, "= 0", lost == 0),
        Row(f"{name}: twice", twice, twice, twice, "", None, None, "= 0", twice == 0),
        Row(f"{name}: delivered after", drained, drained, drained, "s", None, None, "", None),
    ]


_SETTLED = 1.0
"""Seconds in which a notice that comes twice would have come."""


@asynccontextmanager
async def _engine(port: int) -> AsyncIterator[Client]:
    receiver = {
        "name": "desk",
        "kind": "webhook",
        "url": f"http://127.0.0.1:{port}/hook",
        "events": ["waiting"],
    }
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(
            Path(folder), **ROOM, PRATIQUE_NOTIFICATIONS=json.dumps({"receivers": [receiver]})
        )
        await asyncio.to_thread(engine.start)
        try:
            async with engine.client("bench") as client:
                yield client
        finally:
            await asyncio.to_thread(engine.end)


async def _submit(client: Client, number: int) -> str:
    draft = Draft(code=Untrusted(f"print({number})"), language=Language.PYTHON)
    return (await client.submit(draft)).submission.id
