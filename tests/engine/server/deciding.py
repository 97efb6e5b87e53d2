"""A reviewer who decides about whatever comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import DecisionOutcome


@contextlib.asynccontextmanager
async def deciding(client: Client, outcome: DecisionOutcome) -> AsyncIterator[None]:
    """Decide about whatever comes, until the block ends."""

    async def decide() -> None:
        while True:
            for summary in await client.queue():
                if summary.status == "pending":
                    with contextlib.suppress(Problem):  # it may have been decided meanwhile
                        await client.decide(summary.id, outcome, summary.digest, "so it is")
            await asyncio.sleep(0.05)

    task = asyncio.create_task(decide())
    try:
        async with asyncio.timeout(180):
            yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
