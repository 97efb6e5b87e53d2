"""The Tasks extension (SEP-2663): an agent that declares it gets a handle instead of waiting.

A task is a submission: its id is the submission's, and it is on disk before the handle is answered.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    MissingRequiredClientCapabilityErrorData,
    RequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from engine.common.errors import Problem
from engine.models import OPEN, Case
from engine.server.mcp.requester import Context
from engine.server.mcp.stdio.handshake import EXTENSION
from engine.server.mcp.tool_calls import ToolCalls
from engine.server.mcp.tool_models import ToolStatus
from engine.server.mcp.tool_result import status_of, tool_result

POLL_MILLISECONDS = 2000


class TaskParams(RequestParams):
    """The task that is meant."""

    task_id: str


class TaskHandlers:
    """`tasks/get`, `tasks/update` and `tasks/cancel`."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def get(self, context: Context, named: TaskParams) -> dict[str, Any]:
        """Return the status of a task, with its result once there is one."""
        case = await self._own(context, named)
        task = _task(case)
        if task["status"] == "completed":
            result = await self._calls.result_of(case, context)
            task["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {**task, "resultType": "complete"}

    async def update(self, context: Context, named: TaskParams) -> dict[str, Any]:
        """Take note of answers to questions, none of which is ever asked."""
        await self._own(context, named)
        return {"resultType": "complete"}

    async def cancel(self, context: Context, named: TaskParams) -> dict[str, Any]:
        """Withdraw what waits, or kill its run."""
        await self._own(context, named)
        try:
            await self._calls.cancel(named.task_id, context)
        except Problem as problem:
            raise MCPError(INVALID_PARAMS, str(problem)) from None
        return {"resultType": "complete"}

    async def _own(self, context: Context, named: TaskParams) -> Case:
        if not declared(context):
            needed = ClientCapabilities(extensions={EXTENSION: {}})
            data = MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                "Missing required client capability",
                data.model_dump(mode="json", by_alias=True, exclude_none=True),
            )
        try:
            return await self._calls.own(named.task_id, context)
        except Problem as problem:
            raise MCPError(INVALID_PARAMS, str(problem)) from None


def declared(context: Context) -> bool:
    """Return whether the client takes task handles in answer to this request."""
    declared = context.session.client_capabilities
    extensions = declared.extensions if declared else None
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in (extensions or {})


def handle(case: Case) -> dict[str, Any]:
    """Return the answer to a call that became a task."""
    return {**_task(case), "resultType": "task"}


def _task(case: Case) -> dict[str, Any]:
    return {
        "taskId": case.submission.id,
        "status": _status(case),
        "statusMessage": tool_result(case).message,
        "createdAt": _stamp(case.submission.submitted_at),
        "lastUpdatedAt": _stamp(_changed(case)),
        "ttlMs": None,
        "pollIntervalMs": POLL_MILLISECONDS,
    }


def _status(case: Case) -> str:
    if case.status in OPEN:
        return "working"
    return "cancelled" if status_of(case) is ToolStatus.WITHDRAWN else "completed"


def _changed(case: Case) -> datetime:
    decided = case.decision.at if case.decision else None
    return case.started_at or decided or case.submission.submitted_at


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
