"""Commands that speak to the engine: one event loop, one client, closed whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.client.attach import attach
from engine.client.client import Client

T = TypeVar("T")


def with_client(work: Callable[[Client], Awaitable[T]], requester: str = "") -> T:
    """Return what `work` makes of a client of the engine, which is started where none answers."""

    async def working() -> T:
        async with await attach(requester) as client:
            return await work(client)

    return asyncio.run(working())
