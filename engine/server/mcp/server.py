"""The MCP server over the tools of agents."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from pydantic import ValidationError

from engine.common import log
from engine.common.errors import Problem
from engine.common.text import mark_hidden
from engine.models import OPEN
from engine.server.mcp.arguments import (
    SUBMITTING_TOOLS,
    ArtifactArguments,
    CancelArguments,
    CloseSessionArguments,
    ResultArguments,
)
from engine.server.mcp.requester import Context
from engine.server.mcp.resources import ArtifactResources
from engine.server.mcp.stdio.handshake import EXTENSION, INSTRUCTIONS, NAME, TITLE
from engine.server.mcp.tasks import TaskHandlers, TaskParams, declared, handle
from engine.server.mcp.tool_calls import ToolCalls
from engine.server.mcp.tool_result import error_result
from engine.server.mcp.tools import tools
from engine.settings import Settings


def build(calls: ToolCalls, settings: Settings) -> Server[Any]:
    """Return the server over the tools of one agent."""
    offered = [Tool.model_validate(one, by_name=False) for one in tools(settings.policy.ceiling)]
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

    resources = ArtifactResources(calls)
    server: Server[Any] = Server(
        NAME,
        title=TITLE,
        version=version("pratique"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
    )
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    server.extensions[EXTENSION] = {}
    for name, handler in (("get", tasks.get), ("update", tasks.update), ("cancel", tasks.cancel)):
        server.add_request_handler(f"tasks/{name}", TaskParams, handler)
    return server


async def _call(
    calls: ToolCalls, context: Context, params: CallToolRequestParams
) -> CallToolResult | dict[str, Any]:
    given, began = params.arguments or {}, asyncio.get_running_loop().time()
    if wanted := SUBMITTING_TOOLS.get(params.name):
        case = await calls.submit(wanted.model_validate(given), context)
        if declared(context) and case.status in OPEN:
            calls.keep_until_withdrawn(case, context)
            return handle(case)
        return await calls.wait(case, context, began)
    match params.name:
        case "code_result":
            case = await calls.own(ResultArguments.model_validate(given).id, context)
            return await calls.wait(case, context, began)
        case "code_cancel":
            return await calls.cancel(CancelArguments.model_validate(given).id, context)
        case "code_read_artifact":
            return await calls.read_artifact(ArtifactArguments.model_validate(given), context)
        case "code_close_session":
            return await calls.close_session(CloseSessionArguments.model_validate(given).session, context)
        case _:
            raise MCPError(INVALID_PARAMS, f"no tool {mark_hidden(params.name)[:64]}")


def _wrong(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in one['loc']) or 'arguments'}: {one['msg']}" for one in error.errors()
    ]
    return mark_hidden("The arguments are wrong. " + "; ".join(lines[:10]))
