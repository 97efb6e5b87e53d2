"""`pratique --plain`: the console as plain lines, for screen readers and simple terminals.

It reads and writes lines; nothing is coloured, moved or redrawn.
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
    """Execute commands until the input ends; announce new submissions meanwhile."""
    session = PlainSession(client, say)
    say("Pratique, plain mode. Type: help")
    await session.answer("list")
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_listen(client, session))
        async with aclosing(lines) as typed:
            async for line in typed:
                if not await session.answer(line):
                    break
        listening.cancel()


async def _listen(client: Client, session: PlainSession) -> None:
    with suppress(Problem):
        async with aclosing(client.events()) as events:
            async for event in events:
                session.handle(event)


async def typed() -> AsyncGenerator[str, None]:
    """Yield the lines of standard input."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Attach to the engine and execute commands. Returns the exit code."""
    from engine.client.connect import connect  # noqa: PLC0415  --help needs no engine

    async def whole() -> None:
        async with await connect() as client:
            await run(client, typed(), _print)

    try:
        asyncio.run(whole())
    except Problem as problem:
        sys.stderr.write(f"pratique: {visible_text(str(problem))}\n")
        return 5
    except KeyboardInterrupt:
        return 130
    return 0
