"""Checks at intervals whether the container runtime answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NamedTuple

from engine.sandbox.api.errors import SandboxUnavailable

_SECONDS = 5.0


class Heartbeat(NamedTuple):
    """One answer, or its absence."""

    number: int
    """How many answers in a row this is."""
    trouble: SandboxUnavailable | None = None


async def heartbeats(ping: Callable[[], Awaitable[None]]) -> AsyncGenerator[Heartbeat, None]:
    """Yield without end whether a ping is answered."""
    number = 0
    while True:
        await asyncio.sleep(_SECONDS)
        try:
            await ping()
        except SandboxUnavailable as error:
            number = 0
            yield Heartbeat(number, error)
        else:
            number += 1
            yield Heartbeat(number)
