"""When a token is revoked or expires, all that it had opened ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language, Scope, Status
from tests.engine_process import EngineProcess
from tests.tls import free_port

SOON = 20.0
"""Seconds within which a stream has to end; an open one would outlast them by far."""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def port() -> int:
    """Return the port of the module's engine."""
    return free_port()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[EngineProcess]:
    """Yield an engine that listens on loopback."""
    settings = {"LISTEN": f"127.0.0.1:{port}", "WITHDRAW_SECONDS": "0.3"}
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        **{f"PRATIQUE_SERVER__{name}": value for name, value in settings.items()},
    )
    process.start()
    yield process
    process.end()


@contextlib.asynccontextmanager
async def http_of(port: int, secret: str) -> AsyncIterator[httpx.AsyncClient]:
    """Yield an HTTP client with a token."""
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, trust_env=False
    ) as http:
        yield http


async def pending(client: Client) -> Case:
    """Return a case that waits."""
    return await client.submit(Draft(code=Untrusted("print(1)"), language=Language.PYTHON))


STREAMS = {
    "events": (Scope.REVIEW, "/v1/events"),
    "events-since": (Scope.AUDIT, "/v1/events?since=0"),
    "output": (Scope.REVIEW, "/v1/runs/{id}/output"),
    "meters": (Scope.REVIEW, "/v1/runs/{id}/meters"),
    "lease": (Scope.SUBMIT, "/v1/leases/aaaaaaaaaaaaaaaaaaaaaaaa"),
    "long-poll": (Scope.REVIEW, "/v1/submissions/{id}?within=60"),
    "admin-events": (Scope.ADMIN, "/v1/events"),
    "admin-long-poll": (Scope.ADMIN, "/v1/submissions/{id}?within=60"),
    "audit-output": (Scope.AUDIT, "/v1/runs/{id}/output"),
    "audit-meters": (Scope.AUDIT, "/v1/runs/{id}/meters"),
}


async def read_to_the_end(http: httpx.AsyncClient, path: str, opened: asyncio.Event) -> int:
    """Return the status of a request once its answer has ended, however that was."""
    status = 0
    with contextlib.suppress(httpx.HTTPError):
        async with http.stream("GET", path) as answer:
            status = answer.status_code
            opened.set()
            async for _ in answer.aiter_raw():
                pass
    return status


@pytest.mark.parametrize("how", ["revoked", "expired"])
@pytest.mark.parametrize(("scope", "path"), STREAMS.values(), ids=STREAMS)
async def test_what_a_token_opened_ends_with_it(
    client: Client, port: int, scope: Scope, path: str, how: str
) -> None:
    """Streams and long polls of a token end when it is revoked, or when its time is over."""
    case = await pending(client)
    made = await client.tokens.create("eye", (scope,), 3 / 86400 if how == "expired" else 1)
    opened = asyncio.Event()
    async with asyncio.timeout(SOON), http_of(port, made.secret) as http, asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(read_to_the_end(http, path.format(id=case.submission.id), opened))
        if "within" not in path:
            await opened.wait()
        else:
            await asyncio.sleep(0.5)
        assert not reading.done()
        if how == "revoked":
            await client.tokens.revoke(made.token.id)
        status = await reading
        assert 401 == (await http.get("/healthz")).status_code
    assert (401 if "within" in path else 200) == status


async def test_another_token_of_the_same_name_goes_on(client: Client, port: int) -> None:
    """Revoking one token ends its own streams, and no others."""
    kept, gone = [await client.tokens.create("eye", (Scope.REVIEW,), 1) for _ in range(2)]
    opened = asyncio.Event(), asyncio.Event()
    async with asyncio.timeout(SOON), http_of(port, kept.secret) as one, http_of(port, gone.secret) as other:
        staying = asyncio.create_task(read_to_the_end(one, "/v1/events", opened[0]))
        ending = asyncio.create_task(read_to_the_end(other, "/v1/events", opened[1]))
        await asyncio.gather(*(each.wait() for each in opened))
        await client.tokens.revoke(gone.token.id)
        await ending
        assert not staying.done()
        staying.cancel()
    await client.tokens.revoke(kept.token.id)


async def test_a_lease_of_a_revoked_token_is_let_go(engine: EngineProcess, client: Client, port: int) -> None:
    """What waited under it is withdrawn, as when its client goes away."""
    made, lease = await client.tokens.create("ci", (Scope.SUBMIT,), 1), secrets.token_urlsafe(24)
    async with asyncio.timeout(SOON), Client(f"http://127.0.0.1:{port}", token=made.secret) as agent:
        held = agent.hold_lease(lease)
        await anext(held)
        draft = Draft(code=Untrusted("print(2)"), language=Language.PYTHON)
        id = (await agent.submit(draft, lease=lease)).submission.id
        await client.tokens.revoke(made.token.id)
        while (await client.case(id, within=1)).status is Status.PENDING:
            pass
        await held.aclose()
    decision = (await client.case(id)).decision
    assert decision is not None
    assert DecisionOutcome.DENIED is decision.outcome


async def mcp_session(http: httpx.AsyncClient) -> str:
    """Return the id of a new MCP session."""
    answer = await http.post("/mcp", json=INITIALIZE, headers=MCP)
    assert 200 == answer.status_code
    return answer.headers["mcp-session-id"]


async def test_an_mcp_stream_ends_with_its_token(client: Client, port: int) -> None:
    """The stream on which a server sends to its agent is closed."""
    made = await client.tokens.create("robot", (Scope.SUBMIT,), 1)
    async with asyncio.timeout(SOON), http_of(port, made.secret) as http, asyncio.TaskGroup() as tasks:
        http.headers.update(MCP | {"mcp-session-id": await mcp_session(http)})
        opened = asyncio.Event()
        reading = tasks.create_task(read_to_the_end(http, "/mcp", opened))
        await opened.wait()
        await client.tokens.revoke(made.token.id)
        assert 200 == await reading


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_mcp_session_is_its_own_tokens(client: Client, port: int, method: str) -> None:
    """Another token neither reads, nor uses, nor ends it, though it knows its id."""
    one = await client.tokens.create("robot", (Scope.SUBMIT,), 1)
    other = await client.tokens.create("robot", (Scope.SUBMIT,), 1)
    async with asyncio.timeout(SOON), http_of(port, one.secret) as http, http_of(port, other.secret) as thief:
        session = {"mcp-session-id": await mcp_session(http)} | MCP
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"} if method == "POST" else None
        assert 404 == (await thief.request(method, "/mcp", json=body, headers=session)).status_code
        ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}
        assert 200 == (await http.post("/mcp", json=ping, headers=session)).status_code
