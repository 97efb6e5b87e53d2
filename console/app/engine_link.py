"""The console's line to the engine: attach, follow, attach again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.common.errors import Problem

if TYPE_CHECKING:
    from console.app.connection import Attached
    from engine.client.client import Client

Connect = Callable[[], "Awaitable[Client]"]
PAUSES = (0.2, 0.5, 1.0, 2.0)
HEALTH_SECONDS = 5.0
BREATH_SECONDS = 0.05
"""The queue is asked for at most twenty times a second, however many events arrive."""


async def keep(app: Attached, connect: Connect) -> None:
    """Stay attached to the engine for as long as the app lives, and tell the app what changes."""
    tries = 0
    while True:
        try:
            client = await connect()
            tries = 0
            await _follow(app, client)
        except* Problem as problems:
            app.lost(_first(problems))
        await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
        tries += 1


async def _follow(app: Attached, client: Client) -> None:
    try:
        app.health = await client.health()
        app.queue = await client.queue()
        app.attached(client)
        changed = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(_listen(app, client, changed))
            group.create_task(_refresh(app, client, changed))
            group.create_task(_look_after(app, client))
    finally:
        await client.close()


async def _listen(app: Attached, client: Client, changed: asyncio.Event) -> None:
    async for event in client.events():
        changed.set()
        app.happened(event)
    raise Problem(503, "the engine went away")


async def _refresh(app: Attached, client: Client, changed: asyncio.Event) -> None:
    while True:
        changed.clear()
        app.queue = await client.queue()
        await asyncio.sleep(BREATH_SECONDS)
        await changed.wait()


async def _look_after(app: Attached, client: Client) -> None:
    while True:
        app.health = await client.health()
        await asyncio.sleep(HEALTH_SECONDS)


def _first(problems: BaseExceptionGroup[Problem]) -> Problem:
    first = problems.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
