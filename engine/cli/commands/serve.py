"""`pratique serve | stop`."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Annotated

import typer

from engine import locations
from engine.cli.load_settings import load_settings
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_line, wrap
from engine.client.client import Client
from engine.client.engine_process import engine_process
from engine.common.errors import Problem


def serve(
    listen: Annotated[
        str, typer.Option(help="Also listen on this TCP address, HOST:PORT (server.listen).")
    ] = "",
) -> None:
    """Run an engine in the foreground, until Ctrl+C."""
    from engine.server import serve as engine_server  # noqa: PLC0415  the help loads without the server

    if listen:
        os.environ["PRATIQUE_SERVER__LISTEN"] = listen
    chosen = load_settings()
    tcp = f", {chosen.server.listen} for clients with tokens" if chosen.server.listen else ""
    print_line(
        wrap(f"engine listening at {locations.socket()}{tcp}; inbox {locations.inbox()}; Ctrl+C stops it")
    )
    engine_server.on_fast_loop(engine_server.serve(chosen))


def stop(json: Json = False) -> None:
    """Stop the engine on this machine and all of its runs."""

    message = asyncio.run(_stop())
    print_line('{"stopping": true}' if json else message)


async def _stop() -> str:
    """End the engine over its socket, or by its process where it does not answer there."""
    try:
        async with Client() as client:
            await client.shut_down()
    except Problem as problem:
        holder = engine_process()
        if problem.status not in {503, 504} or holder is None:
            raise
        os.kill(holder, signal.SIGTERM)
        return f"The engine (process {holder}) does not answer at {locations.socket()}. It was told to stop."
    return "The engine is stopping."
