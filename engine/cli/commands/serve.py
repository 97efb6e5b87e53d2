"""`pratique serve | stop`."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from engine import locations
from engine.cli.load_settings import load_settings
from engine.cli.output.formatting import print_line, wrap
from engine.client.client import Client
from engine.server.serve import on_fast_loop
from engine.server.serve import serve as run_engine


def serve(
    listen: Annotated[str, typer.Option(help="A TCP address too, HOST:PORT; as doors.listen.")] = "",
) -> None:
    """Run an engine without a screen, until Ctrl+C."""
    if listen:
        os.environ["PRATIQUE_SERVER__LISTEN"] = listen
    chosen = load_settings()
    tcp = f", {chosen.server.listen} for programs with tokens" if chosen.server.listen else ""
    print_line(wrap(f"engine at {locations.socket()}{tcp}, inbox at {locations.inbox()}; Ctrl+C ends it"))
    on_fast_loop(run_engine(chosen))


def stop(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """End the engine that runs here, and every run with it."""

    async def end() -> None:
        async with Client() as client:
            await client.shut_down()

    asyncio.run(end())
    print_line('{"stopping": true}' if json else "the engine ends")
