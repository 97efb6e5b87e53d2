"""`resources/read`: the files that an agent's own runs left."""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from engine.common.errors import Problem
from engine.common.text import mark_hidden
from engine.server.mcp.artifacts import TEMPLATE, named, resource
from engine.server.mcp.requester import Context
from engine.server.mcp.tool_calls import ToolCalls


class ArtifactResources:
    """The files of runs, as resources."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Return none: the results of calls link to theirs."""
        return ListResourcesResult(resources=[])

    async def templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Return what the address of a file looks like."""
        return ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return a file."""
        uri = str(params.uri)
        try:
            id, name = named(uri)
            return resource(uri, await self._calls.artifact(id, name, context))
        except Problem as problem:
            raise MCPError(INVALID_PARAMS, mark_hidden(str(problem))) from None
