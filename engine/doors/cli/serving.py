"""`pratique serve | stop`."""

from __future__ import annotations

import asyncio

from pydantic import ValidationError

from engine import locations
from engine.doors.cli.words import say
from engine.doors.client import Client
from engine.doors.serve import serve as run_engine
from engine.problem import Problem
from engine.settings import Settings


def serve() -> None:
    """Run an engine without a screen, until Ctrl+C."""
    say(f"engine at {locations.socket()}, inbox at {locations.inbox()}; Ctrl+C ends it")
    asyncio.run(run_engine(_settings()))


def stop() -> None:
    """End the engine that runs here, and every run with it."""

    async def end() -> None:
        async with Client() as client:
            await client.shut_down()

    asyncio.run(end())
    say("the engine ends")


def _settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Problem(
            422, f"settings: {where}: {first['msg']}", mend=f"Edit {locations.settings_file()}"
        ) from None
