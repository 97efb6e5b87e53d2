"""Agents over MCP: each connection is an agent of its own, whatever its program calls itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as McpClient

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Draft, Language, Status
from engine.principals import agent_files
from tests.engine.server.test_mcp_stdio import agent, registered, result_of, words
from tests.engine_process import EngineProcess

CODE = {"code": "print(6 * 7)", "idempotency_key": "job"}


@contextlib.asynccontextmanager
async def two(engine: EngineProcess) -> AsyncIterator[tuple[McpClient, McpClient]]:
    """Yield two agents that call themselves the same."""
    async with asyncio.timeout(120), agent(engine, wait="0") as one, agent(engine, wait="0") as other:
        yield one, other


async def submitted(mcp: McpClient, **more: Any) -> str:
    """Return the id of what a call submitted."""
    return str(result_of(await mcp.call_tool("code_execute", CODE | more))["id"])


async def test_one_agent_cannot_act_for_another_of_the_same_name(
    engine: EngineProcess, client: Client
) -> None:
    """Neither `code_cancel` nor `code_result` reaches another connection's submission, whatever its name."""
    async with two(engine) as (one, other):
        id = await submitted(one)
        for tool in ("code_cancel", "code_result"):
            assert "no submission" in words(await other.call_tool(tool, {"id": id}))
        assert Status.PENDING is (await client.case(id)).status
        assert not (await one.call_tool("code_cancel", {"id": id})).is_error
        assert Status.DENIED is (await client.case(id)).status


async def test_identical_code_of_two_agents_is_two_submissions(engine: EngineProcess, client: Client) -> None:
    """The same call joins its own submission only, by its digest as by its key."""
    async with two(engine) as (one, other):
        mine, theirs = await submitted(one), await submitted(other)
        assert mine != theirs
        assert (mine, theirs) == (await submitted(one), await submitted(other))
        assert (await client.case(mine)).submission.digest != (await client.case(theirs)).submission.digest


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("code_execute", {"code": "print(1)"}),
        ("code_list_files", {}),
        ("code_read_file", {"path": "a"}),
        ("code_write_file", {"path": "a", "text": "b"}),
        ("code_install_package", {"packages": [{"name": "six", "version": "1.17.0"}]}),
        ("code_close_session", {}),
    ],
)
async def test_another_agents_session_does_not_exist(
    engine: EngineProcess, client: Client, tool: str, arguments: dict[str, Any]
) -> None:
    """No tool reaches a session of another connection."""
    async with two(engine) as (one, other):
        session = result_of(await one.call_tool("code_execute", CODE | {"session": "new"}))["session"]
        result = await other.call_tool(tool, arguments | {"session": session})
        assert f"you have no session {session}" in words(result)
        assert not (await one.call_tool("code_close_session", {"session": session})).is_error


async def test_a_registered_agent_is_the_same_again(engine: EngineProcess, client: Client) -> None:
    """What it submitted is there after its server was started anew; its name is that of its token."""
    name = await registered(engine, client, "builder")
    async with asyncio.timeout(120):
        async with agent(engine, wait="0", name=name) as mcp:
            id = await submitted(mcp)
        async with agent(engine, wait="0", name=name) as mcp:
            assert id == result_of(await mcp.call_tool("code_result", {"id": id}))["id"]
    requester = (await client.case(id)).submission.requester
    assert ("builder", "token:") == (requester.name.text, requester.id[:6])


async def test_who_takes_the_name_of_a_registered_agent_is_not_it(
    engine: EngineProcess, client: Client
) -> None:
    """A label over the socket, and a program that calls itself so, are others than the token of that name."""
    name = await registered(engine, client, "deployer")
    async with asyncio.timeout(120), agent(engine, wait="0", name=name) as mcp:
        id = await submitted(mcp)
        async with engine.client(name) as pretender:
            with pytest.raises(Problem, match="not yours"):
                await pretender.withdraw(id)
            draft = Draft(code=Untrusted(CODE["code"]), language=Language.PYTHON)
            twin = await pretender.submit(draft, key="job", join=True)
            assert id != twin.submission.id


async def test_a_revoked_agent_is_nobody(engine: EngineProcess, client: Client) -> None:
    """After its token is revoked its tools answer with that, and do nothing."""
    name = await registered(engine, client, "former")
    token = next(one for one in await client.tokens.list() if one.name.text == name)
    async with asyncio.timeout(120), agent(engine, wait="0", name=name) as mcp:
        await submitted(mcp)
        await client.tokens.revoke(token.id)
        assert "valid token" in words(await mcp.call_tool("code_execute", {"code": "print(2)"}))


def test_only_the_owners_own_file_registers_an_agent(tmp_path: Path) -> None:
    """A file that others may read, a link, a FIFO and a name that leads elsewhere register nobody."""
    saved = agent_files.save(tmp_path, "a", "secret")
    assert ("secret", 0o600) == (agent_files.load(tmp_path, "a"), saved.stat().st_mode & 0o777)
    saved.chmod(0o640)
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "link").symlink_to(saved)
    for name in ("a", "fifo", "link", "missing", "../a", "A", "", "a/b", ".a", "a\u200b"):
        with pytest.raises(Problem):
            agent_files.load(tmp_path, name)
