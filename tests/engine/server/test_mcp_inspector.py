"""MCP Inspector's command line, which is the protocol's own second opinion, where it is installed."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from typing import Any

import pytest

from engine.client.client import Client
from tests.engine.server.test_mcp_stdio import TOOLS
from tests.engine_process import EngineProcess

INSPECTOR = shutil.which("mcp-inspector")
SERVER = "import sys; from engine.cli import main; sys.exit(main(['mcp']))"

pytestmark = pytest.mark.skipif(
    INSPECTOR is None,
    reason="mcp-inspector is not installed: npm install --global @modelcontextprotocol/inspector",
)


async def asked(engine: EngineProcess, *words: str) -> dict[str, Any]:
    """Return what the inspector prints."""
    environment = ("-e", f"PRATIQUE_HOME={engine.home}", "-e", "PRATIQUE_SERVER__MCP_WAIT_SECONDS=0")
    command = (str(INSPECTOR), "--cli", *environment, sys.executable, "-c", SERVER, *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(120):
        printed, _ = await process.communicate()
    result_of: dict[str, Any] = json.loads(printed)
    return result_of


async def test_the_inspector_sees_the_tools_and_calls_one(engine: EngineProcess, client: Client) -> None:
    """Its list has every tool; its call is pending, and waits in the operator's queue."""
    listed = await asked(engine, "--method", "tools/list")
    assert TOOLS == {tool["name"] for tool in listed["tools"]}
    words = ("--method", "tools/call", "--tool-name", "code_execute", "--tool-arg", "code=print(1)")
    called = await asked(engine, *words)
    assert "pending_approval" == called["structuredContent"]["status"]
    case = await client.case(called["structuredContent"]["id"])
    assert "print(1)" == case.submission.draft.code.text
