"""Clients with the time-outs of agents, shortened in one proportion, and a reviewer who is slower."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from mcp import Client as McpClient
from mcp import MCPError

from engine.client.client import Client
from engine.models import DecisionOutcome
from tests.engine.server.test_mcp_stdio import pending, result_of, server
from tests.engine_process import EngineProcess

SCALE = 50
"""So much shorter than in life are the clients' 30, 60 and 300 s and the server's 45 s."""
WAIT = f"{45 / SCALE:g}"


@pytest.mark.parametrize("patience", [30, 60, 300])
async def test_an_impatient_client_makes_one_submission(
    engine: EngineProcess, client: Client, patience: int
) -> None:
    """A call comes back pending or is given up, at 30 s surely; the next one joins the same submission."""
    call = {"code": f"print({patience})"}
    async with asyncio.timeout(60), McpClient(server(engine, WAIT)) as mcp:
        await mcp.list_tools()
        first = None
        with contextlib.suppress(MCPError):
            first = await mcp.call_tool("code_execute", call, read_timeout_seconds=patience / SCALE)
        again = result_of(await mcp.call_tool("code_execute", call))
        submission = (await pending(client)).submission
        assert 1 == len(await client.queue())
    assert (submission.id, "pending_approval") == (again["id"], again["status"])
    assert first is None or (patience > 30 and again["id"] == result_of(first)["id"])
    await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
