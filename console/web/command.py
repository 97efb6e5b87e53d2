"""`pratique web`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from engine.common.errors import Problem


def web(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
) -> None:
    """Serve the console to a browser of this machine, at an address that lets one browser in."""
    from console.web.server import serve  # noqa: PLC0415  only this command pays for it

    def say(address: str) -> None:
        typer.echo(
            f"Open this in a browser of this machine, within ten minutes; it can be used once:\n{address}"
        )
        typer.echo("Ctrl+C ends it; runs go on.")

    try:
        asyncio.run(serve(port, say))
    except OSError as error:
        raise Problem(
            503, f"port {port} cannot be had: {error.strerror}", hint="Try another: --port"
        ) from None
