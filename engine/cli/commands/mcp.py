"""`pratique mcp`."""

from __future__ import annotations

import os
import secrets
from typing import Annotated, Any

import typer

from engine import locations
from engine.common.headers import AGENT
from engine.server.mcp.stdio.bridge import serve
from engine.server.mcp.stdio.link import ENGINE, TOKEN, Link


def mcp(
    name: Annotated[
        str,
        typer.Option(help="Name of a registered agent; without it the agent is a new one each time."),
    ] = "",
    wait: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=3600,
            help="Seconds that a call may wait for a person: less than your client's time-out.",
        ),
    ] = None,
) -> None:
    """Run an MCP server on standard input and output, for one agent."""
    serve(Link(_proof(name), wait), _tools)


def _proof(name: str) -> dict[str, str]:
    """Return the header that proves who the agent is."""
    if name:
        from engine.principals import agent_files  # noqa: PLC0415  unnamed agents start without the models

        return {"authorization": f"Bearer {agent_files.load(locations.agents(), name)}"}
    if os.environ.get(ENGINE):
        return {"authorization": f"Bearer {os.environ.get(TOKEN, '')}"}
    return {AGENT: secrets.token_urlsafe(32)}


def _tools() -> list[dict[str, Any]]:
    """Return the tools, made here: this loads what the engine had loaded long ago."""
    from engine.cli.load_settings import load_settings  # noqa: PLC0415
    from engine.server.mcp.tools import tools  # noqa: PLC0415

    return tools(load_settings().policy.ceiling)
