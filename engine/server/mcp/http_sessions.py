"""The MCP server over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp

from engine.server.mcp.clients import TokenAgents
from engine.server.mcp.server import build
from engine.server.mcp.tool_calls import ToolCalls
from engine.settings import Settings

MAX_SESSIONS = 1000
IDLE_SECONDS = 1800.0


@contextlib.asynccontextmanager
async def serve_sessions(settings: Settings) -> AsyncGenerator[ASGIApp, None]:
    """Yield the application that serves MCP; nothing of it outlives the block."""
    async with TokenAgents() as agents, asyncio.TaskGroup() as tasks:
        calls = ToolCalls(agents, settings.server, tasks, hold_lease_while_connected=False)
        manager = StreamableHTTPSessionManager(
            build(calls, settings),
            session_idle_timeout=IDLE_SECONDS,
            max_request_body_size=settings.server.max_request_bytes,
            max_sessions=MAX_SESSIONS,
        )
        try:
            async with manager.run():
                yield manager.handle_request
        finally:
            calls.cancel_withdrawals()
