"""The MCP server over standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from pydantic import ValidationError

from engine import locations
from engine.client.client import Client
from engine.client.connect import ENGINE, client_from_environment
from engine.common import log
from engine.common.errors import Problem
from engine.common.text import mark_hidden
from engine.principals import agent_files
from engine.server.mcp.arguments import (
    SUBMITTING_TOOLS,
    CancelArguments,
    CloseSessionArguments,
    ResultArguments,
)
from engine.server.mcp.clients import OneAgent
from engine.server.mcp.requester import Context
from engine.server.mcp.tasks import EXTENSION, TaskHandlers, TaskParams, declared, handle
from engine.server.mcp.tool_calls import ToolCalls
from engine.server.mcp.tool_result import OPEN, error_result
from engine.server.mcp.tools import tools
from engine.settings import Settings

INSTRUCTIONS = (
    "Pratique runs code in sessions after a person has approved it. Say in `purpose` what the code is for: "
    "it decides faster than the code. Small programs that do one thing are approved soonest."
)


async def serve_stdio(settings: Settings, name: str = "") -> None:
    """Serve one agent over standard input and output until it goes away: the registered one of that name.

    Without a name it is an agent of its own for as long as it is connected, and nobody before or after. It
    answers at once; if no engine can be started, the first tool call says so.

    Raises:
        Problem: no agent of that name is registered.
    """
    log.configure(settings.server.log_format, settings.server.log_level)
    async with (
        _agent(name) as agent,
        _calls(settings, *agent) as calls,
        stdio_server() as (incoming, outgoing),
    ):
        server = build(calls, settings)
        await server.run(incoming, outgoing, server.create_initialization_options())


def build(calls: ToolCalls, settings: Settings) -> Server[Any]:
    """Return the server over the tools of one agent."""
    offered = tools(settings.policy.ceiling)
    tasks = TaskHandlers(calls)

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=offered)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | dict[str, Any]:
        try:
            return await _call(calls, context, params)
        except ValidationError as error:
            return error_result(_wrong(error))
        except Problem as problem:
            return error_result(mark_hidden(str(problem)))
        except MCPError:
            raise
        except Exception as error:
            return error_result(str(Problem.internal(log.internal_error(error, "mcp tools/call"))))

    server: Server[Any] = Server(
        "pratique", version=version("pratique"), instructions=INSTRUCTIONS, on_list_tools=list_tools
    )
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    server.extensions[EXTENSION] = {}
    for name, handler in (("get", tasks.get), ("update", tasks.update), ("cancel", tasks.cancel)):
        server.add_request_handler(f"tasks/{name}", TaskParams, handler)
    return server


async def _call(
    calls: ToolCalls, context: Context, params: CallToolRequestParams
) -> CallToolResult | dict[str, Any]:
    given = params.arguments or {}
    if wanted := SUBMITTING_TOOLS.get(params.name):
        case = await calls.submit(wanted.model_validate(given), context)
        if declared(context) and case.status in OPEN:
            calls.keep_until_withdrawn(case, context)
            return handle(case)
        return await calls.wait(case, context)
    match params.name:
        case "code_result":
            case = await calls.own(ResultArguments.model_validate(given).id, context)
            return await calls.wait(case, context)
        case "code_cancel":
            return await calls.cancel(CancelArguments.model_validate(given).id, context)
        case "code_close_session":
            return await calls.close_session(CloseSessionArguments.model_validate(given).session, context)
        case _:
            raise MCPError(INVALID_PARAMS, f"no tool {mark_hidden(params.name)[:64]}")


@contextlib.asynccontextmanager
async def _agent(name: str) -> AsyncIterator[tuple[Client, OneAgent]]:
    """Yield the client that acts for an agent, and nobody else's."""
    if name:
        client = Client(token=agent_files.load(locations.agents(), name))
    elif os.environ.get(ENGINE):
        client = client_from_environment()
    else:
        client = Client(agent=secrets.token_urlsafe(32))
    async with client:
        yield client, OneAgent(client, labelled=not name and not os.environ.get(ENGINE))


@contextlib.asynccontextmanager
async def _calls(settings: Settings, client: Client, agent: OneAgent) -> AsyncIterator[ToolCalls]:
    """Yield the tools of one agent; nothing of theirs outlives the block."""
    async with asyncio.TaskGroup() as tasks:
        calls = ToolCalls(agent, settings.server, tasks)
        lease = tasks.create_task(calls.hold_lease(client))
        try:
            yield calls
        finally:
            lease.cancel()
            calls.cancel_withdrawals()


def _wrong(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in one['loc']) or 'arguments'}: {one['msg']}" for one in error.errors()
    ]
    return mark_hidden("The arguments are wrong. " + "; ".join(lines[:10]))
