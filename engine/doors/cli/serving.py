"""`pratique serve | stop`."""

from __future__ import annotations

import asyncio

from engine import locations
from engine.doors.cli.configured import settings
from engine.doors.cli.words import say
from engine.doors.client import Client
from engine.doors.serve import on_fast_loop
from engine.doors.serve import serve as run_engine


def serve() -> None:
    """Run an engine without a screen, until Ctrl+C."""
    say(f"engine at {locations.socket()}, inbox at {locations.inbox()}; Ctrl+C ends it")
    on_fast_loop(run_engine(settings()))


def stop() -> None:
    """End the engine that runs here, and every run with it."""

    async def end() -> None:
        async with Client() as client:
            await client.shut_down()

    asyncio.run(end())
    say("the engine ends")
