"""`pratique mcp`."""

from __future__ import annotations

import asyncio

from engine.cli.load_settings import load_settings
from engine.server.mcp.server import serve_stdio


def mcp() -> None:
    """Serve one agent over the Model Context Protocol, on standard input and output."""
    asyncio.run(serve_stdio(load_settings()))
