"""Previews of a real server in a real sandbox, over HTTP and the command line."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import httpx
import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    DecisionOutcome,
    Draft,
    Language,
    Limits,
    OpenedPreview,
    Permissions,
    Scope,
    Session,
    Status,
)
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.sandbox
SERVER = """
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, body, *more):
        self.send_response(200)
        for name, value in (("Content-Length", str(len(body))), *more):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.headers.get("Upgrade") == "websocket":
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.end_headers()
            self.wfile.write(self.rfile.readline().upper())
            self.close_connection = True
        elif self.path == "/big":
            self.answer(b"x" * 20_000_000)
        else:
            self.answer(json.dumps(dict(self.headers)).encode())
    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"]))[::-1])
print("listening", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
"""
IN_A_THREAD = SERVER.replace("http.server.Threading", "server = http.server.Threading").replace(
    ".serve_forever()",
    "\nimport threading\nthreading.Thread(target=server.serve_forever, daemon=True).start()",
)
DRAFT = Draft(code=Untrusted(SERVER), language=Language.PYTHON, purpose=Untrusted("Serve pages"),
              permissions=Permissions(limits=Limits(seconds=300)))  # fmt: skip
PATIENCE = 90.0


class Browser:
    """Does what a browser does: it finds the host on the loopback, and keeps the cookie."""

    def __init__(self, opened: OpenedPreview) -> None:
        self.host = opened.preview.host
        self.port = int(self.host.rpartition(":")[2])
        self.link = opened.link.partition(self.host)[2]
        self.cookie = ""
        self._client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)

    async def ask(self, method: str, path: str, content: bytes = b"", **headers: str) -> httpx.Response:
        """Send a request with the cookie; headers may be others."""
        own = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {})}
        return await self._client.request(method, path, content=content, headers=own | headers)

    async def enter(self) -> httpx.Response:
        """Open the link."""
        response = await self.ask("GET", self.link)
        self.cookie = response.headers.get("set-cookie", "").partition(";")[0]
        return response


async def running(client: Client) -> str:
    """Return the id of a run whose server listens."""
    case = await client.submit(DRAFT)
    await client.decide(case.submission.id, DecisionOutcome.APPROVED, case.submission.digest)
    async with asyncio.timeout(PATIENCE):
        async for chunk in client.output(case.submission.id):
            if b"listening" in chunk.data:
                return case.submission.id
    raise AssertionError("the server ended")


async def stop(client: Client, run: str) -> None:
    """Kill a run and wait for its end."""
    await client.kill(run)
    async with asyncio.timeout(PATIENCE):
        while (await client.case(run)).status not in {Status.FINISHED, Status.KILLED}:
            await asyncio.sleep(0.05)


@pytest.fixture
async def browser(client: Client) -> AsyncIterator[Browser]:
    """Yield a browser that entered the preview of a server."""
    run = await running(client)
    shown = Browser(await client.previews.open(run, 8000))
    assert 303 == (await shown.enter()).status_code
    yield shown
    await stop(client, run)


async def test_pages_bodies_and_websockets_pass(browser: Browser, client: Client) -> None:
    """The server sees its host name and no secret; each request is in the log, without its query."""
    page = await browser.ask("GET", "/page?q=private")
    seen = page.json()
    assert browser.host == seen["Host"]
    assert "Cookie" not in seen
    assert b"tset a" == (await browser.ask("POST", "/", b"a test")).content
    assert b"HELLO\n" == await asyncio.to_thread(websocket, browser)
    preview = (await client.previews.list())[-1]
    logged = await client.previews.requests(preview.id)
    assert ("GET", "/page", 200) in [(each.method.text, each.path.text, each.status) for each in logged]


def websocket(browser: Browser) -> bytes:
    """Return what a WebSocket answers to a line."""
    asked = [
        "GET /ws HTTP/1.1", f"Host: {browser.host}", f"Cookie: {browser.cookie}", f"Origin: http://{browser.host}",
        "Connection: Upgrade", "Upgrade: websocket", "", "hello\n",
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", browser.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join(asked).encode())
        data = b""
        while piece := connection.recv(65536):
            data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")
    return rest


async def test_nobody_else_gets_in(browser: Browser) -> None:
    """Neither without the cookie, nor with the link once more, another name, or behind another request."""
    assert 403 == (await browser.ask("GET", browser.link, Cookie="none=1")).status_code
    assert 403 == (await browser.ask("GET", "/", Cookie="none=1")).status_code
    assert 421 == (await browser.ask("GET", "/", Host="evil.example")).status_code
    assert 403 == (await browser.ask("GET", "/", Origin="http://localhost:3000")).status_code
    assert 1 == (await asyncio.to_thread(smuggled, browser)).count(b"HTTP/1.1 ")


def smuggled(browser: Browser) -> bytes:
    """Return the answers to a request with another one behind it that has no cookie."""
    first = f"GET / HTTP/1.1\r\nHost: {browser.host}\r\nCookie: {browser.cookie}\r\n\r\n"
    second = f"GET /second HTTP/1.1\r\nHost: {browser.host}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", browser.port), timeout=PATIENCE) as connection:
        connection.sendall((first + second).encode())
        data = b""
        while piece := connection.recv(65536):
            data += piece
    return data


async def test_a_large_body_passes_whole(browser: Browser) -> None:
    """20 MB arrive as they were sent."""
    began = time.monotonic()
    body = (await browser.ask("GET", "/big")).content
    assert 20_000_000 == len(body)
    assert time.monotonic() - began < PATIENCE


async def test_a_preview_ends_with_its_run(client: Client) -> None:
    """Nothing listens any more, and the history says that it was open."""
    run = await running(client)
    opened = await client.previews.open(run, 8000)
    await stop(client, run)
    async with asyncio.timeout(PATIENCE):
        while await client.previews.list():
            await asyncio.sleep(0.1)
    with pytest.raises(httpx.ConnectError):
        await Browser(opened).enter()
    with pytest.raises(Problem, match="not running"):
        await client.previews.open(run, 8000)
    events = [event.type for event in await client.history.events(run)]
    assert ["preview.opened", "preview.closed"] == [each for each in events if each.startswith("preview")]


async def cell(client: Client, session: Session, code: str) -> str:
    """Run a cell of a session to its end, and return its id."""
    case = await client.submit(
        Draft(code=Untrusted(code), language=session.language, image=session.image, session=session.id)
    )
    id = case.submission.id
    if case.status is Status.PENDING:
        await client.decide(id, DecisionOutcome.APPROVED, case.submission.digest)
    async with asyncio.timeout(PATIENCE):
        while (case := await client.case(id)).status not in {Status.FINISHED, Status.KILLED}:
            await asyncio.sleep(0.05)
    assert case.result is not None
    assert 0 == case.result.exit_code, case.result
    return id


async def test_a_server_of_a_session_is_shown_after_its_cell(client: Client) -> None:
    """Between cells, during the next one and after it, until the session is closed."""
    session = await client.sessions.create(Language.PYTHON)
    began = await cell(client, session, IN_A_THREAD)
    shown = Browser(await client.previews.open(began, 8000))
    await shown.enter()
    assert b"cba" == (await shown.ask("POST", "/", b"abc")).content
    await cell(client, session, "print(len('x' * 20))")
    assert b"cba" == (await shown.ask("POST", "/", b"abc")).content
    used = (await client.sessions.get(session.id)).used_at
    await shown.ask("POST", "/", b"abc")
    async with asyncio.timeout(PATIENCE):
        while (await client.sessions.get(session.id)).used_at == used:
            await asyncio.sleep(0.1)
    await client.sessions.close(session.id)
    async with asyncio.timeout(PATIENCE):
        while await client.previews.list():
            await asyncio.sleep(0.1)
    with pytest.raises(Problem, match="session has ended"):
        await client.previews.open(began, 8000)
    events = [event.type for event in await client.history.events(began)]
    assert ["preview.opened", "preview.closed"] == [each for each in events if each.startswith("preview")]


async def test_a_preview_that_was_opened_in_a_cell_outlives_it(client: Client) -> None:
    """The cell has ended, and the page is still answered."""
    session = await client.sessions.create(Language.PYTHON)
    await cell(client, session, IN_A_THREAD)
    case = await client.submit(
        Draft(code=Untrusted("import time; time.sleep(3)"), language=Language.PYTHON, session=session.id)
    )
    id = case.submission.id
    if case.status is Status.PENDING:
        await client.decide(id, DecisionOutcome.APPROVED, case.submission.digest)
    async with asyncio.timeout(PATIENCE):
        while (await client.case(id)).status is not Status.RUNNING:
            await asyncio.sleep(0.05)
    shown = Browser(await client.previews.open(id, 8000))
    await shown.enter()
    async with asyncio.timeout(PATIENCE):
        while (await client.case(id)).status is not Status.FINISHED:
            await asyncio.sleep(0.05)
    assert b"cba" == (await shown.ask("POST", "/", b"abc")).content
    await client.sessions.close(session.id)


async def test_where_nothing_listens_the_page_says_so(client: Client) -> None:
    """A port without a server is no error of the preview."""
    run = await running(client)
    empty = Browser(await client.previews.open(run, 9))
    await empty.enter()
    answer = await empty.ask("GET", "/")
    assert (502, True) == (answer.status_code, "no server answers" in answer.text)
    await stop(client, run)


async def test_previews_are_for_the_owner_of_the_socket(client: Client, engine: EngineProcess) -> None:
    """A token opens and lists none, whatever its scopes."""
    token = await client.tokens.create("t-preview", tuple(Scope), days=1)
    async with Client(engine.socket, token=token.secret) as other:
        with pytest.raises(Problem, match="owner of the socket"):
            await other.previews.list()


async def test_the_command_line_prints_a_link(client: Client, engine: EngineProcess) -> None:
    """And lists and closes what it opened."""
    run = await running(client)

    async def typed(*words: str) -> str:
        command = [
            sys.executable,
            "-c",
            "import sys; from engine.cli import main; sys.exit(main(sys.argv[1:]))",
        ]
        done = await asyncio.to_thread(subprocess.run, [*command, "preview", *words], env=engine.environment,
                                       check=True, capture_output=True, text=True)  # fmt: skip
        return done.stdout

    opened = json.loads(await typed("open", run, "--json"))
    id = opened["preview"]["id"]
    assert id in await typed("list")
    assert "?t=" in await typed("link", id)
    await typed("close", id)
    assert id not in await typed("list")
    await stop(client, run)
