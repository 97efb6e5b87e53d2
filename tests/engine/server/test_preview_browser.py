"""A preview in a real browser: its page, its own requests and its WebSocket."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Limits, Permissions
from tests.console.support.browser import browser

pytestmark = pytest.mark.sandbox
PATIENCE = 90.0
PAGE = """<!doctype html><title>Shop</title><h1>Shop</h1><p id=count></p><p id=echo></p><script>
fetch("/count").then(answer => answer.text()).then(text => { count.textContent = "counted " + text })
const socket = new WebSocket("ws://" + location.host + "/ws")
socket.onopen = () => socket.send("hello")
socket.onmessage = message => { echo.textContent = "echo " + message.data }
fetch("http://" + location.host.replace(/^[^:]*/, "127.0.0.1") + "/count")
    .then(() => document.body.append("escaped"), () => document.body.append("confined"))
</script>"""
SERVER = f"""
import base64, hashlib, http.server
PAGE = {PAGE!r}.encode()
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        if self.path == "/ws":
            return self.echo()
        body = PAGE if self.path == "/" else b"three"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def echo(self):
        key = self.headers["Sec-WebSocket-Key"].encode()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        proof = base64.b64encode(hashlib.sha1(key + MAGIC).digest()).decode()
        self.send_header("Sec-WebSocket-Accept", proof)
        self.end_headers()
        size = self.rfile.read(2)[1] & 127
        mask, data = self.rfile.read(4), self.rfile.read(size)
        text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)).upper()
        self.wfile.write(bytes([0x81, len(text)]) + text)
        self.rfile.read(1)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler)
print("listening", flush=True)
server.serve_forever()
"""

IN_A_THREAD = SERVER.replace(
    "server.serve_forever()",
    "import threading\nthreading.Thread(target=server.serve_forever, daemon=True).start()",
)


async def _listening(client: Client) -> str:
    """Return the id of a run whose server listens."""
    draft = Draft(code=Untrusted(SERVER), language=Language.PYTHON, purpose=Untrusted("Serve a page"),
                  permissions=Permissions(limits=Limits(seconds=300)))  # fmt: skip
    case = await client.submit(draft)
    await client.decide(case.submission.id, DecisionOutcome.APPROVED, case.submission.digest)
    async with asyncio.timeout(PATIENCE):
        async for chunk in client.output(case.submission.id):
            if b"listening" in chunk.data:
                return case.submission.id
    raise AssertionError("the server ended")


async def _recorded(client: Client, preview: str, paths: set[str]) -> None:
    """Wait until requests for these paths are recorded; that of a WebSocket is when it ends."""
    async with asyncio.timeout(PATIENCE):
        while not paths <= {each.path.text for each in await client.previews.requests(preview)}:
            await asyncio.sleep(0.1)


async def test_a_browser_shows_the_page_and_its_websocket(client: Client, tmp_path: Path) -> None:
    """The link opens the page; it reaches its own server, over a WebSocket as well, and no other host."""
    run = await _listening(client)
    opened = await client.previews.open(run, 8000)
    async with browser(tmp_path / "browser") as page:
        await page.open(opened.link)
        await page.see("Shop", "counted three", "echo HELLO", "confined")
        assert f"http://{opened.preview.host}/" == await page.run("location.href")
        assert "" == await page.run("document.cookie")
    await _recorded(client, opened.preview.id, {"/", "/count", "/ws"})
    await client.kill(run)


async def test_a_browser_shows_what_a_session_serves(client: Client, tmp_path: Path) -> None:
    """After the cell that began it has ended, until the session is closed; its WebSocket as well."""
    session = await client.sessions.create(Language.PYTHON)
    draft = Draft(code=Untrusted(IN_A_THREAD), language=Language.PYTHON, session=session.id,
                  image=session.image)  # fmt: skip
    case = await client.submit(draft)
    await client.decide(case.submission.id, DecisionOutcome.APPROVED, case.submission.digest)
    ended = await client.case(case.submission.id, within=60)
    assert ended.result is not None
    assert 0 == ended.result.exit_code
    opened = await client.previews.open(case.submission.id, 8000)
    async with browser(tmp_path / "browser") as page:
        await page.open(opened.link)
        await page.see("Shop", "counted three", "echo HELLO", "confined")
        await client.sessions.close(session.id)
        async with asyncio.timeout(PATIENCE):
            while opened.preview.id in {each.id for each in await client.previews.list()}:
                await asyncio.sleep(0.1)
        await page.run("location.reload()")
        await page.see("ERR_CONNECTION_REFUSED")
