"""`pratique mcp`."""

from __future__ import annotations

import asyncio

from engine.cli.load_settings import load_settings
from engine.server.mcp.server import serve_stdio


def mcp() -> None:
    """Run an MCP server on standard input and output, for one agent."""
    asyncio.run(serve_stdio(load_settings()))
