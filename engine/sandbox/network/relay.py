"""Copies bytes between two connections, and counts them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.sandbox.network.http_peer import PIECE
from engine.sandbox.network.resolver import Streams


async def relay(near: Streams, far: Streams, spend: Callable[[int], None]) -> None:
    """Copy bytes in both directions until both sides end or one fails. Raises what `spend` raises."""
    directions = {
        asyncio.create_task(_copy(near[0], far[1], spend)),
        asyncio.create_task(_copy(far[0], near[1], spend)),
    }
    try:
        done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    except OSError:
        return
    finally:
        for task in directions:
            task.cancel()
        await asyncio.wait(directions)


async def _copy(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, spend: Callable[[int], None]
) -> None:
    while data := await reader.read(PIECE):
        spend(len(data))
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
