"""`pratique web`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from engine.common.errors import Problem


def web(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 picks a free one.")
    ] = 0,
) -> None:
    """Serve the console to a browser on this machine, at a one-time address."""
    from console.web.server import serve  # noqa: PLC0415  only this command pays for it

    def say(address: str) -> None:
        typer.echo(
            f"Open this address in a browser on this machine within ten minutes; it works once:\n{address}"
        )
        typer.echo("Ctrl+C stops the server; runs continue.")

    try:
        asyncio.run(serve(port, say))
    except OSError as error:
        raise Problem(
            503, f"cannot listen on port {port}: {error.strerror}", hint="Choose another: --port"
        ) from None
