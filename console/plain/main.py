"""`pratique --plain`: the same desk as ordinary lines, for screen readers and plain terminals.

Lines come in and go out; nothing moves, nothing is coloured, nothing is redrawn.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from console.plain.session import PlainSession, Say
from console.safety.text import visible_text
from engine.client.client import Client
from engine.common.errors import Problem


async def run(client: Client, lines: AsyncGenerator[str, None], say: Say) -> None:
    """Answer lines until there are no more; say meanwhile what begins to wait."""
    desk = PlainSession(client, say)
    say("Pratique, plain. Type: help")
    await desk.answer("list")
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_listen(client, desk))
        async with aclosing(lines) as typed:
            async for line in typed:
                if not await desk.answer(line):
                    break
        listening.cancel()


async def _listen(client: Client, desk: PlainSession) -> None:
    with suppress(Problem):
        async with aclosing(client.events()) as events:
            async for event in events:
                desk.happened(event)


async def typed() -> AsyncGenerator[str, None]:
    """Yield the lines of standard input."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Attach to the engine and answer lines. Returns the exit code."""
    from engine.client.attach import attach  # noqa: PLC0415  the help of the desk needs no engine

    async def whole() -> None:
        async with await attach() as client:
            await run(client, typed(), _print)

    try:
        asyncio.run(whole())
    except Problem as problem:
        sys.stderr.write(f"pratique: {visible_text(str(problem))}\n")
        return 5
    except KeyboardInterrupt:
        return 130
    return 0
