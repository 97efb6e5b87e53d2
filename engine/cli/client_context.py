"""Run a command against the engine with one event loop and one client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.client.client import Client
from engine.client.connect import connect

T = TypeVar("T")


def with_client(work: Callable[[Client], Awaitable[T]], requester: str = "") -> T:
    """Return the result of `work`, called with a client of the engine; start an engine if none is running."""

    async def working() -> T:
        async with await connect(requester) as client:
            return await work(client)

    return asyncio.run(working())
