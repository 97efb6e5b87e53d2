"""`pratique mcp`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from engine.cli.load_settings import load_settings
from engine.server.mcp.server import serve_stdio


def mcp(
    name: Annotated[
        str,
        typer.Option(help="Name of a registered agent; without it the agent is a new one each time."),
    ] = "",
) -> None:
    """Run an MCP server on standard input and output, for one agent."""
    asyncio.run(serve_stdio(load_settings(), name))
