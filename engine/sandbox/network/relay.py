"""Bytes from one connection to another, both ways, counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.sandbox.network.http_peer import PIECE
from engine.sandbox.network.resolver import Streams


async def relay(near: Streams, far: Streams, spend: Callable[[int], None]) -> None:
    """Pass bytes both ways until both sides have ended, or one broke. Raises what `spend` raises."""
    ways = {
        asyncio.create_task(_pass(near[0], far[1], spend)),
        asyncio.create_task(_pass(far[0], near[1], spend)),
    }
    try:
        done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    except OSError:
        return
    finally:
        for task in ways:
            task.cancel()
        await asyncio.wait(ways)


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, spend: Callable[[int], None]
) -> None:
    while data := await reader.read(PIECE):
        spend(len(data))
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
