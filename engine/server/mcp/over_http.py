"""The MCP server over streamable HTTP: what stands behind `/mcp` of the engine's own doors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp

from engine.client.client import Client
from engine.server.mcp.calls import Calls
from engine.server.mcp.server import build
from engine.settings import Settings

MOST_SESSIONS = 1000
IDLE_SECONDS = 1800.0


@contextlib.asynccontextmanager
async def sessions(settings: Settings) -> AsyncGenerator[ASGIApp, None]:
    """Yield what answers MCP; nothing of it outlives the block."""
    async with Client() as client, asyncio.TaskGroup() as tasks:
        calls = Calls(client, settings.server, tasks, staying=False)
        manager = StreamableHTTPSessionManager(
            build(calls, settings),
            session_idle_timeout=IDLE_SECONDS,
            max_request_body_size=settings.server.max_request_bytes,
            max_sessions=MOST_SESSIONS,
        )
        try:
            async with manager.run():
                yield manager.handle_request
        finally:
            calls.forget()
