"""The MCP server: over streamable HTTP, and for agents over stdio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.server.mcp.clients import TokenAgents
from engine.server.mcp.connections import AgentConnections
from engine.server.mcp.patience import Patience
from engine.server.mcp.server import build
from engine.server.mcp.stdio.link import CONNECTIONS
from engine.server.mcp.tool_calls import ToolCalls
from engine.settings import Settings

MAX_SESSIONS = 1000
IDLE_SECONDS = 1800.0


@contextlib.asynccontextmanager
async def serve_sessions(settings: Settings) -> AsyncGenerator[ASGIApp, None]:
    """Yield the application that serves MCP; nothing of it outlives the block."""
    async with TokenAgents() as agents, asyncio.TaskGroup() as tasks:
        calls = ToolCalls(agents, settings.server, tasks, Patience.of(settings.server, None))
        connections = AgentConnections(settings)
        manager = StreamableHTTPSessionManager(
            build(calls, settings),
            session_idle_timeout=IDLE_SECONDS,
            max_request_body_size=settings.server.max_request_bytes,
            max_sessions=MAX_SESSIONS,
        )
        try:
            async with manager.run():

                async def app(scope: Scope, receive: Receive, send: Send) -> None:
                    over_stdio = scope["path"].startswith(CONNECTIONS)
                    await (connections if over_stdio else manager.handle_request)(scope, receive, send)

                yield app
        finally:
            calls.cancel_withdrawals()
