"""`pratique web`: one browser of this machine is let in, by an address that works once; nobody else is."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, CookieJar, WSServerHandshakeError, web

from console.web.access import BrowserAccess
from console.web.server import ConsoleServer

APP = """
import os
from textual.app import App
from textual.widgets import Static
class Tiny(App):
    def compose(self):
        yield Static("the console is open")
    def on_key(self, event):
        if event.key == "q":
            os._exit(1)
        self.query_one(Static).update("pressed " + event.key)
Tiny().run()
"""


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncIterator[tuple[ConsoleServer, ClientSession, str]]:
    """Yield a server on a free port, a browser without cookies, and the server's address."""
    app = tmp_path / "tiny.py"
    app.write_text(APP, encoding="utf-8")
    listening = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    listening.close()
    await listening.wait_closed()
    server = ConsoleServer(port, shlex.join([sys.executable, "-P", str(app)]))
    runner = web.AppRunner(await server.application(), access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser:
            yield server, browser, f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def status(browser: ClientSession, url: str, **headers: str) -> int:
    """Return what the server answers, without following where it leads."""
    async with browser.get(url, headers=headers, allow_redirects=False) as answer:
        assert "no-referrer" == answer.headers["Referrer-Policy"]
        return answer.status


async def test_the_address_lets_one_browser_in_once(tmp_path: Path) -> None:
    """Without the token nothing is shown; with it the page is; used again, it is refused."""
    async with served(tmp_path) as (server, browser, base):
        address = server.access.address
        assert 403 == await status(browser, base)
        assert 403 == await status(browser, f"{base}/static/js/textual.js")
        assert 403 == await status(browser, f"{base}/?token=guess")
        assert 303 == await status(browser, address)
        assert 200 == await status(browser, base)
        assert 200 == await status(browser, f"{base}/static/js/textual.js")
        async with ClientSession() as other:
            assert 403 == await status(other, address)


async def test_the_page_asks_nothing_of_other_hosts(tmp_path: Path) -> None:
    """The page names no address but the server's own, and its policy allows none."""
    async with served(tmp_path) as (server, browser, base):
        async with browser.get(server.access.address) as answer:
            page = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        assert [] == [part for part in page.split('"') if "//" in part and base.split("//")[1] not in part]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
    ids=["host", "other-name", "origin", "null-origin"],
)
async def test_a_foreign_page_is_refused_even_with_the_cookie(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    """A request that names another host, or comes from another page, is refused; a WebSocket, too."""
    async with served(tmp_path) as (server, browser, base):
        assert 303 == await status(browser, server.access.address)
        assert 403 == await status(browser, base, **headers)
        with pytest.raises(WSServerHandshakeError, match="403"):
            await browser.ws_connect(f"{base}/ws", headers=headers)


async def test_a_socket_needs_cookie_and_origin(tmp_path: Path) -> None:
    """Without the cookie, or without saying from which page, no console is started."""
    async with served(tmp_path) as (server, browser, base):
        with pytest.raises(WSServerHandshakeError, match="403"):
            await browser.ws_connect(f"{base}/ws", headers={"Origin": base})
        assert 303 == await status(browser, server.access.address)
        with pytest.raises(WSServerHandshakeError, match="403"):
            await browser.ws_connect(f"{base}/ws")


async def test_the_console_is_seen_and_typed_into(tmp_path: Path) -> None:
    """With access, the frames of a real app arrive, and keys reach it."""
    async with served(tmp_path) as (server, browser, base):
        assert 303 == await status(browser, server.access.address)
        async with (
            asyncio.timeout(60),
            browser.ws_connect(f"{base}/ws?width=80&height=24", headers={"Origin": base}) as socket,
        ):
            seen = b""
            while b"the console is open" not in seen:
                seen += await socket.receive_bytes()
            await socket.send_json(["stdin", "x"])
            while b"pressed" not in seen:
                seen += await socket.receive_bytes()


async def test_a_page_shows_that_its_console_died(tmp_path: Path) -> None:
    """A console that ends without a word closes the page's socket; the page does not stand there frozen."""
    async with served(tmp_path) as (server, browser, base):
        assert 303 == await status(browser, server.access.address)
        async with (
            asyncio.timeout(60),
            browser.ws_connect(f"{base}/ws?width=80&height=24", headers={"Origin": base}) as socket,
        ):
            while b"the console is open" not in await socket.receive_bytes():
                pass
            await socket.send_json(["stdin", "q"])
            async for _ in socket:
                pass
            assert socket.closed


def test_a_token_is_used_once_and_in_time() -> None:
    """A token that was used, or is late, lets nobody in; nobody is known before somebody was let in."""
    access = BrowserAccess("127.0.0.1:1")
    token = access.token
    assert not access.is_session("")
    secret = access.exchange_token(token)
    assert secret is not None
    assert access.is_session(secret)
    assert None is access.exchange_token(token) is access.exchange_token("")
    late = BrowserAccess("127.0.0.1:1", seconds=-1)
    assert None is late.exchange_token(late.token)
