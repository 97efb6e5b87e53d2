"""MCP over streamable HTTP, with the official client: a token names the agent, who sees its own calls."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2 as httpx
import pytest
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from engine.client.client import Client
from engine.models import DecisionOutcome, Scope, Status
from tests.engine.server.test_mcp_stdio import TOOLS, result_of, server, words
from tests.engine_process import EngineProcess
from tests.tls import free_port


@pytest.fixture(scope="module")
def port() -> int:
    """Return the port of the module's engine."""
    return free_port()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[EngineProcess]:
    """Yield an engine that listens on loopback, and whose agents wait little."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        PRATIQUE_SERVER__LISTEN=f"127.0.0.1:{port}",
        PRATIQUE_SERVER__MCP_WAIT_SECONDS="1",
        PRATIQUE_SERVER__WITHDRAW_SECONDS="600",
    )
    process.start()
    yield process
    process.end()


@pytest.fixture
def hasty(home: Path) -> Iterator[tuple[EngineProcess, int]]:
    """Yield an engine that withdraws soon, and its port."""
    port = free_port()
    listen = {"PRATIQUE_SERVER__LISTEN": f"127.0.0.1:{port}", "PRATIQUE_SERVER__MCP_WAIT_SECONDS": "0"}
    process = EngineProcess(home, PRATIQUE_SERVER__WITHDRAW_SECONDS="0.3", **listen)
    process.start()
    yield process, port
    process.end()


@contextlib.asynccontextmanager
async def agent(
    client: Client, port: int, name: str = "robot", scope: Scope = Scope.SUBMIT
) -> AsyncIterator[McpClient]:
    """Yield the official client with a token of its own."""
    secret = (await client.tokens.create(name, (Scope.SUBMIT,), 1)).secret
    headers = {"authorization": f"Bearer {secret}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        McpClient(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as mcp,
    ):
        yield mcp


async def test_the_tools_are_the_same_over_http(client: Client, port: int) -> None:
    """Whoever comes over HTTP is offered what is offered over stdio."""
    async with asyncio.timeout(60), agent(client, port) as mcp:
        assert TOOLS == {tool.name for tool in (await mcp.list_tools()).tools}


async def test_the_token_says_who_asks(client: Client, port: int) -> None:
    """A call waits, is pending, is decided about, and its result is for its own token alone."""
    async with asyncio.timeout(120), agent(client, port) as mcp, agent(client, port, "rival") as rival:
        first = await mcp.call_tool("code_execute", {"code": "print(21)", "idempotency_key": "k-21"})
        id = result_of(first)["id"]
        assert "pending_approval" == result_of(first)["status"]
        case = await client.case(id)
        assert "robot" == case.submission.requester.name.text
        assert "no submission" in words(await rival.call_tool("code_result", {"id": id}))
        await client.decide(id, DecisionOutcome.DENIED, case.submission.digest, "no need")
        result: CallToolResult = await mcp.call_tool("code_result", {"id": id})
    assert (True, "denied", "no need") == (
        result.is_error,
        result_of(result)["status"],
        result_of(result)["reason"],
    )


async def test_what_nobody_asks_after_is_withdrawn(hasty: tuple[EngineProcess, int]) -> None:
    """An agent over HTTP that never comes back leaves nothing waiting."""
    process, port = hasty
    async with asyncio.timeout(120), process.client() as client:
        async with agent(client, port) as mcp:
            id = result_of(await mcp.call_tool("code_execute", {"code": "print(22)"}))["id"]
        while (case := await client.case(id, within=5)).status is Status.PENDING:
            pass
    assert case.decision is not None
    assert "robot" == case.decision.by.name.text


async def test_a_token_that_does_not_submit_gets_no_tools(client: Client, port: int) -> None:
    """A token of another scope, or none, does not get as far as the protocol."""
    secret = (await client.tokens.create("eye", (Scope.AUDIT,), 1)).secret
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as http:
        without = await http.post("/mcp", json={})
        other = await http.post("/mcp", json={}, headers={"authorization": f"Bearer {secret}"})
    assert (401, 403) == (without.status_code, other.status_code)


async def test_the_server_over_stdio_speaks_to_the_engine_that_is_named(
    client: Client, port: int, tmp_path: Path
) -> None:
    """`PRATIQUE_ENGINE` and `PRATIQUE_TOKEN` are obeyed: the token says who asks, no engine starts here."""
    secret = (await client.tokens.create("afar", (Scope.SUBMIT,), 1)).secret
    elsewhere = {"PRATIQUE_ENGINE": f"http://127.0.0.1:{port}", "PRATIQUE_TOKEN": secret}
    parameters = server(EngineProcess(tmp_path), "0", **elsewhere)
    async with asyncio.timeout(60), McpClient(parameters) as mcp:
        made = result_of(await mcp.call_tool("code_execute", {"code": "print(51)"}))
        again = result_of(await mcp.call_tool("code_result", {"id": made["id"]}))
        case = await client.case(made["id"])
        await mcp.call_tool("code_cancel", {"id": made["id"]})
    assert (made["id"], "pending_approval") == (again["id"], again["status"])
    assert ("afar", Status.PENDING) == (case.submission.requester.name.text, case.status)
    assert Status.DENIED is (await client.case(made["id"])).status
    assert not (tmp_path / "run" / "engine.sock").exists()
