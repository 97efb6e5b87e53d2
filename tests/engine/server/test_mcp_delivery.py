"""Results reach the agent that asked for them, and the list of tools is short."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client as McpClient
from mcp import MCPError
from mcp_types import Implementation, ResourceLink

from engine.client.client import Client, Problem
from engine.core.submissions.undelivered import KEPT_SECONDS, MOST, Undelivered
from engine.models import Case, DecisionOutcome, Status
from engine.server.mcp.stdio.handshake import VERSIONS, initialized
from tests.engine.history.conftest import build_case
from tests.engine.server.deciding import deciding
from tests.engine.server.test_mcp_stdio import agent, pending, registered, result_of, running, server, words
from tests.engine_process import EngineProcess

MOST_BYTES = 10 * 1024
SOON = 1.0


Write = Callable[..., Awaitable[int]]
Read = Callable[[int], Awaitable[str]]


async def give_up(mcp: McpClient, call: dict[str, Any]) -> None:
    """Make a call whose client gives up before anybody decides."""
    with pytest.raises(MCPError, match=r"[Tt]imed out"):
        await mcp.call_tool("code_execute", call, read_timeout_seconds=SOON)


async def test_the_list_of_tools_is_short_and_each_has_a_title(engine: EngineProcess) -> None:
    """All tools together take less than 10 KB of an agent's context; the answer is described once."""
    async with agent(engine) as mcp:
        tools = (await mcp.list_tools()).tools
    wire = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])
    assert MOST_BYTES > len(wire)
    assert all(tool.title for tool in tools)
    assert ["code_execute"] == [tool.name for tool in tools if tool.output_schema]


async def test_a_result_that_nobody_received_is_joined(engine: EngineProcess, client: Client) -> None:
    """A decision after the client gave up reaches the same call, which is no second submission."""
    call = {"code": "print(41)"}
    async with agent(engine, name=await registered(engine, client, "hasty-one")) as mcp:
        await mcp.list_tools()
        await give_up(mcp, call)
        case = await pending(client)
        await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest, "no")
        again = result_of(await mcp.call_tool("code_execute", call))
        async with asyncio.timeout(20):
            while (after := await _asked(mcp, call))["id"] == again["id"]:
                await asyncio.sleep(0.05)
    assert (case.submission.id, "denied") == (again["id"], again["status"])
    assert case.submission.id != after["id"]


async def _asked(mcp: McpClient, call: dict[str, Any]) -> dict[str, Any]:
    """Make a call that nobody decides about for now; a received result is not given again."""
    with contextlib.suppress(MCPError):
        return result_of(await mcp.call_tool("code_execute", call, read_timeout_seconds=1.0))
    return {"id": ""}


async def test_without_progress_the_answer_comes_before_five_seconds(
    engine: EngineProcess, client: Client
) -> None:
    """A client that asks for no progress gets pending_approval while it still listens."""
    async with McpClient(server(engine, ""), read_timeout_seconds=30) as mcp:
        began = asyncio.get_running_loop().time()
        result = result_of(await mcp.call_tool("code_execute", {"code": "print(42)"}))
        took = asyncio.get_running_loop().time() - began
    assert "pending_approval" == result["status"]
    assert took < 40


async def test_an_answer_that_came_too_late_is_given_again(engine: EngineProcess, client: Client) -> None:
    """A client that gives up a call just when it is answered has no result: the same call returns it."""
    call = {"name": "code_execute", "arguments": {"code": "print(47)"}}
    async with talking(engine) as (write, read):
        request = await write("tools/call", **call)
        submission = (await pending(client)).submission
        await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, "no")
        assert submission.id == await read(request)
        await write("notifications/cancelled", requestId=request)
        assert submission.id == await read(await write("tools/call", **call))


async def test_giving_up_what_is_no_request_harms_nothing(engine: EngineProcess, client: Client) -> None:
    """The id of a request is a number or a text: anything else is taken as a message, and stands for none."""
    async with talking(engine) as (write, read):
        await write("notifications/cancelled", requestId=["x"])
        await write("notifications/cancelled", requestId={})
        await read(await write("ping"))


@contextlib.asynccontextmanager
async def talking(engine: EngineProcess) -> AsyncIterator[tuple[Write, Read]]:
    """Yield what writes a message of MCP and returns its id, and what reads the id in a call's answer."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    path, headers = "/mcp/connections/" + "b" * 20, {"pratique-agent": "z" * 43}
    numbers = itertools.count(1)
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://engine", timeout=120) as http,
        http.stream("GET", path, params={"wait": "60"}, headers=headers) as held,
    ):
        lines = held.aiter_lines()
        assert "" == await anext(lines)

        async def write(method: str, **params: object) -> int:
            number = next(numbers)
            named = {} if method.startswith("notifications/") else {"id": number}
            message = {"jsonrpc": "2.0", **named, "method": method, "params": params}
            assert 202 == (await http.post(path, json=message, headers=headers)).status_code
            return number

        async def read(number: int) -> str:
            while (message := json.loads(await anext(lines))).get("id") != number:
                pass
            result: dict[str, Any] = message["result"]
            return str(result.get("structuredContent", {}).get("id", ""))

        about = {"name": "late", "version": "1"}
        hello = {"protocolVersion": VERSIONS[-1], "capabilities": {}, "clientInfo": about}
        await read(await write("initialize", **hello))
        await write("notifications/initialized")
        yield write, read


async def test_what_is_withdrawn_is_asked_for_again(engine: EngineProcess, client: Client) -> None:
    """Nobody approved what was cancelled: the same call makes a new submission."""
    call = {"code": "print(43)"}
    async with agent(engine, wait="0") as mcp:
        first = result_of(await mcp.call_tool("code_execute", call))
        await mcp.call_tool("code_cancel", {"id": first["id"]})
        again = result_of(await mcp.call_tool("code_execute", call))
    assert ("pending_approval", True) == (again["status"], again["id"] != first["id"])


async def test_nobody_receives_the_result_of_another(engine: EngineProcess, client: Client) -> None:
    """A receipt belongs to the requester."""
    async with agent(engine, wait="0") as mcp:
        id = result_of(await mcp.call_tool("code_execute", {"code": "print(44)"}))["id"]
        with pytest.raises(Problem, match="not yours"):
            await client.received(id)


def test_initialize_is_answered_as_the_engine_does(engine: EngineProcess) -> None:
    """The answer that needs no engine is the same, for every revision and for unknown ones."""
    from engine.server.mcp.server import build  # noqa: PLC0415
    from engine.settings import Settings  # noqa: PLC0415

    built: Any = build(object(), Settings())  # type: ignore[arg-type]
    options = built.create_initialization_options()
    asked = {"id": 1, "params": {"protocolVersion": "1999-01-01"}}
    said = initialized(asked)["result"]
    capabilities = options.capabilities.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert VERSIONS[-1] == said["protocolVersion"]
    assert capabilities.pop("extensions", None) in (None, {"io.modelcontextprotocol/tasks": {}})
    assert capabilities == said["capabilities"]
    assert (options.server_name, options.server_version) == (
        said["serverInfo"]["name"],
        said["serverInfo"]["version"],
    )
    assert options.instructions == said["instructions"]


def _lines(engine: EngineProcess, *lines: bytes) -> list[dict[str, Any]]:
    program = "import sys; from engine.cli import main; sys.exit(main(['mcp']))"
    bridge = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=engine.environment
    )
    assert bridge.stdin
    assert bridge.stdout
    answers = []
    for line in lines:
        bridge.stdin.write(line + b"\n")
        bridge.stdin.flush()
        answers.append(json.loads(bridge.stdout.readline()))
    bridge.stdin.close()
    bridge.stdout.close()
    assert 0 == bridge.wait(20)
    return answers


def test_lines_that_are_no_messages_are_refused(engine: EngineProcess) -> None:
    """Garbage, deep nesting and other JSON get an error, and the server goes on."""
    ping = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
    start = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    start += b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
    answers = _lines(engine, b"}{", b"[" * 100_000, b"7", start, ping)
    assert [-32700] * 3 == [one["error"]["code"] for one in answers[:3]]
    assert "2025-06-18" == answers[3]["result"]["protocolVersion"]
    assert 9 == len(answers[4]["result"]["tools"])


async def test_a_connection_belongs_to_its_agent(engine: EngineProcess) -> None:
    """Without proof of an agent there is none, and another agent cannot write into it."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    path = "/mcp/connections/" + "a" * 20
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    one, other = {"pratique-agent": "x" * 43}, {"pratique-agent": "y" * 43}
    async with httpx.AsyncClient(transport=transport, base_url="http://engine", timeout=30) as http:
        assert 403 == (await http.get(path)).status_code
        assert 404 == (await http.post(path, json=message, headers=one)).status_code
        assert 422 == (await http.get(path, params={"wait": "nan"}, headers=one)).status_code
        async with http.stream("GET", path, headers=one) as held:
            lines = held.aiter_lines()
            assert "" == await anext(lines)
            assert 404 == (await http.post(path, json=message, headers=other)).status_code
            assert 400 == (await http.post(path, content=b"no", headers=one)).status_code
            assert 409 == (await http.get(path, headers=one)).status_code
            assert 202 == (await http.post(path, json=message, headers=one)).status_code
            assert 1 == json.loads(await anext(lines))["id"]


async def test_a_call_outlives_its_engine(home: Path) -> None:
    """An engine that is killed and comes back is asked again: the same submission, decided then."""
    with running(home) as process:
        async with process.client() as before:
            name = await registered(process, before, "survivor")
        async with agent(process, name=name) as mcp, asyncio.TaskGroup() as tasks:
            await mcp.list_tools()
            call = tasks.create_task(mcp.call_tool("code_execute", {"code": "print(45)"}))
            async with process.client() as operator:
                first = await pending(operator)
            process.end(signal.SIGKILL)
            process.start()
            async with process.client() as operator:
                submission = (await pending(operator)).submission
                await operator.decide(submission.id, DecisionOutcome.DENIED, submission.digest, "no")
            result = result_of(await call)
        async with process.client() as operator:
            await operator.shut_down()  # the agent may have started it, before the test did
    assert (first.submission.id, "denied") == (result["id"], result["status"])


@pytest.mark.sandbox
async def test_a_file_comes_as_a_link_and_part_by_part(engine: EngineProcess, client: Client) -> None:
    """A file is linked, read as a resource and by the tool, masked; another agent has no such file."""
    code = (
        "open('a b.csv', 'w').write('x\\n1\\n' + 'AKIAIOSFODNN7EXAMPLE')\n"
        "open('z', 'wb').write(b'\\xff\\x00')"
    )
    named = Implementation(name="reader", version="1")
    async with (
        agent(engine, client_info=named) as mcp,
        agent(engine) as other,
        deciding(client, DecisionOutcome.APPROVED),
    ):
        result = await mcp.call_tool("code_execute", {"code": code})
        assert "finished" == result_of(result)["status"], words(result)
        links = {one.name: one for one in result.content if isinstance(one, ResourceLink)}
        (text,) = (await mcp.read_resource(links["a b.csv"].uri)).contents
        (blob,) = (await mcp.read_resource(links["z"].uri)).contents
        given = {"id": result_of(result)["id"], "name": "a b.csv"}
        part = result_of(await mcp.call_tool("code_read_artifact", given))
        rest = result_of(await mcp.call_tool("code_read_artifact", {**given, "offset": 2}))
        wrong = await mcp.call_tool("code_read_artifact", {**given, "offset": 10**6})
        with pytest.raises(MCPError, match="no submission"):
            await other.read_resource(links["z"].uri)
        with pytest.raises(MCPError, match="no resource"):
            await mcp.read_resource("pratique://elsewhere/x")
    assert getattr(text, "text", "").startswith("x\n1\n")
    assert "AKIAIOSFODNN7EXAMPLE" not in getattr(text, "text", "")
    assert "/wA=" == getattr(blob, "blob", "")
    assert (part["text"][2:], None) == (rest["text"], rest["next_offset"])
    assert wrong.is_error


async def test_the_undelivered_are_forgotten_in_time(engine: EngineProcess, client: Client) -> None:
    """After a day, after a receipt, or some time after one that is not sure, nothing is found."""
    now = 0.0
    known = Undelivered(lambda: now)
    async with agent(engine, wait="0") as mcp:
        id = result_of(await mcp.call_tool("code_execute", {"code": "print(46)"}))["id"]
        case = await client.case(id)
    assert Status.PENDING is case.status
    digest = case.submission.request_digest
    for receipt, moment, found in (
        (None, KEPT_SECONDS - 1, id),
        (None, KEPT_SECONDS, ""),
        (0.0, 0.0, ""),
        (9.0, 8.0, id),
        (9.0, 9.0, ""),
    ):
        now = 0.0
        known.expect(case)
        if receipt is not None:
            known.delivered(case, receipt)
        now = moment
        assert found == known.find(digest)


async def test_a_receipt_can_be_taken_back(engine: EngineProcess, client: Client) -> None:
    """For a while the same request returns it again, unless it was submitted anew since."""
    now = 0.0
    known = Undelivered(lambda: now)
    async with agent(engine, wait="0") as mcp:
        ids = [
            result_of(await mcp.call_tool("code_execute", {"code": f"print({n})"}))["id"] for n in (49, 50)
        ]
    case, other = [await client.case(id) for id in ids]
    digest = case.submission.request_digest
    newer = other.model_copy(
        update={"submission": other.submission.model_copy(update={"original_digest": digest})}
    )
    known.expect(case)
    known.delivered(case, 0)
    known.not_delivered(case, 9)
    now = 8.0
    assert ids[0] == known.find(digest)
    now = 9.0
    assert "" == known.find(digest)
    known.expect(newer)
    known.not_delivered(case, 9)
    assert ids[1] == known.find(digest)


def numbered(number: int) -> Case:
    """Return a case whose request nobody else makes."""
    case = build_case(f"s-{number}")
    submission = case.submission.model_copy(update={"original_digest": f"{number:064x}"})
    return case.model_copy(update={"submission": submission})


def test_receipts_taken_back_are_bounded_and_shorten_nothing() -> None:
    """No requester fills the memory by taking receipts back; what is expected for a day stays so."""
    known, first = Undelivered(lambda: 0.0), numbered(0)
    known.expect(first)
    known.not_delivered(first, 9)
    assert KEPT_SECONDS == known._expected[first.submission.request_digest].until
    for number in range(1, MOST + 2):
        known.not_delivered(numbered(number), 9)
    assert MOST == len(known._expected)
