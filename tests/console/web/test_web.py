"""`pratique web`: one browser of this machine is let in, by an address that works once; nobody else is."""

from __future__ import annotations

import asyncio
import shlex
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from aiohttp import ClientSession, WSServerHandshakeError, web
from multidict import CIMultiDict, CIMultiDictProxy

from console.web.access import BrowserAccess
from console.web.server import ConsoleServer, listen

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


class Page:
    """A client that sends what the console's own page sends, unless told otherwise."""

    def __init__(self, server: ConsoleServer, http: ClientSession, port: int) -> None:
        self.access = server.access
        self.http = http
        self.base = f"http://127.0.0.1:{port}"
        self.own = {"Host": self.access.authority, "Origin": self.access.origin}

    async def get(self, path: str, **headers: str) -> int:
        """Return the status of a GET request."""
        async with self.http.get(self.base + path, headers={"Host": self.own["Host"]} | headers) as answer:
            assert "no-referrer" == answer.headers["Referrer-Policy"]
            assert "Set-Cookie" not in answer.headers
            return answer.status

    async def exchange(self, token: str, **headers: str) -> tuple[int, str]:
        """Return the status, and what is answered to a token."""
        given = self.own | {"Pratique-Token": token} | headers
        async with self.http.post(f"{self.base}/session", headers=given) as answer:
            assert "Set-Cookie" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers
            return answer.status, await answer.text()

    async def secret(self) -> str:
        """Return the secret for the token of the address."""
        status, secret = await self.exchange(self.access.token)
        assert 200 == status
        return secret

    async def opens(self, secret: str, **headers: str) -> bool:
        """Return whether the server opens a console for a WebSocket request."""
        offered = {"Sec-WebSocket-Protocol": f"pratique, secret.{secret}"}
        try:
            async with self.http.ws_connect(f"{self.base}/ws", headers=self.own | offered | headers):
                return True
        except WSServerHandshakeError as refused:
            if refused.status != 403:
                raise
            return False

    @asynccontextmanager
    async def console(self, secret: str) -> AsyncIterator[web.WebSocketResponse]:
        """Yield the WebSocket of a console."""
        offered = {"Sec-WebSocket-Protocol": f"pratique, secret.{secret}"}
        async with (
            asyncio.timeout(60),
            self.http.ws_connect(f"{self.base}/ws?width=80&height=24", headers=self.own | offered) as opened,
        ):
            yield opened  # type: ignore[misc]


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncIterator[Page]:
    """Yield the page of a server on a free port."""
    app = tmp_path / "tiny.py"
    app.write_text(APP, encoding="utf-8")
    (listening, *others) = listen(0)
    for each in others:
        each.close()
    port = listening.getsockname()[1]
    server = ConsoleServer(port, shlex.join([sys.executable, "-P", str(app)]))
    runner = web.AppRunner(await server.application(), access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        async with ClientSession() as http:
            yield Page(server, http, port)
    finally:
        await runner.cleanup()


async def test_the_address_lets_one_browser_in_once(tmp_path: Path) -> None:
    """The token of the address gives the secret once; then it is refused, and so is a guess."""
    async with served(tmp_path) as page:
        token = page.access.token
        assert 403 == (await page.exchange("guess"))[0]
        assert await page.opens(await page.secret())
        assert (403, "") != await page.exchange(token)
        assert 403 == (await page.exchange(token))[0]


async def test_nothing_of_the_secret_is_in_what_is_served(tmp_path: Path) -> None:
    """Page, scripts and styles carry neither token nor secret: a cache has nothing to tell."""
    async with served(tmp_path) as page:
        known = {page.access.token, await page.secret()}
        for path in ("/", "/page/access.js", "/page/focus.js", "/static/css/xterm.css"):
            async with page.http.get(page.base + path, headers={"Host": page.access.authority}) as answer:
                assert 200 == answer.status
                assert "no-store" == answer.headers["Cache-Control"]
                text = await answer.text()
            assert not [each for each in known if each in text]


async def test_the_page_asks_nothing_of_other_hosts(tmp_path: Path) -> None:
    """The page names no address but the server's own, and its policy allows none."""
    async with served(tmp_path) as page:
        async with page.http.get(page.base, headers={"Host": page.access.authority}) as answer:
            text = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        assert [] == [part for part in text.split('"') if "//" in part and page.access.authority not in part]
        assert "default-src 'none'" in policy
        assert "worker-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy


FOREIGN = {
    "rebound-name": {"Host": "evil.example"},
    "address": {"Host": "127.0.0.1:PORT"},
    "localhost": {"Host": "localhost:PORT"},
    "other-port": {"Host": "NAME:1"},
    "no-port": {"Host": "NAME"},
    "upper-case": {"Host": "UPPER:PORT"},
    "trailing-dot": {"Host": "NAME.:PORT"},
    "subdomain": {"Host": "a.NAME:PORT"},
    "earlier-start": {"Host": "00112233445566778899aabbccddeeff.localhost:PORT"},
    "origin": {"Origin": "http://evil.example"},
    "origin-other-port": {"Origin": "http://NAME:1"},
    "origin-address": {"Origin": "http://127.0.0.1:PORT"},
    "origin-https": {"Origin": "https://NAME:PORT"},
    "origin-null": {"Origin": "null"},
    "origin-list": {"Origin": "http://NAME:PORT http://evil.example"},
    "origin-suffix": {"Origin": "http://NAME:PORT.evil.example"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
async def test_a_foreign_page_is_refused_even_with_the_secret(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    """A request that names another host, or comes from another origin, is refused, whatever it knows."""
    async with served(tmp_path) as page:
        name, port = page.access.authority.split(":")
        forged = {
            key: value.replace("NAME", name).replace("UPPER", name.upper()).replace("PORT", port)
            for key, value in headers.items()
        }
        assert 403 == await page.get("/", **forged)
        assert 403 == (await page.exchange(page.access.token, **forged))[0]
        assert not await page.opens(await page.secret(), **forged)


@pytest.mark.parametrize(
    "offered",
    ["", "pratique", "pratique, secret.", "pratique, secret.guess", "secret.guess, pratique", "TOKEN",
     "pratique, secret.TOKEN", "pratique, SECRET.REAL", "pratique, secret.REALx", "pratique, secret.\udcff"],
)  # fmt: skip
async def test_a_socket_needs_the_secret(tmp_path: Path, offered: str) -> None:
    """Host and Origin, which another program of this machine can forge, do not open a console."""
    async with served(tmp_path) as page:
        token = page.access.token
        forged = offered.replace("TOKEN", token).replace("REAL", await page.secret())
        assert not await page.opens("", **{"Sec-WebSocket-Protocol": forged})
        assert not await page.opens("", Cookie=f"pratique={token}", Authorization=f"Bearer {token}")


async def test_without_an_origin_nothing_is_opened(tmp_path: Path) -> None:
    """A request that does not say from which page it comes gets neither the secret nor a console."""
    async with served(tmp_path) as page:
        given = {"Host": page.access.authority, "Pratique-Token": page.access.token}
        async with page.http.post(f"{page.base}/session", headers=given) as answer:
            assert 403 == answer.status
        offered = {"Sec-WebSocket-Protocol": f"pratique, secret.{await page.secret()}"}
        with pytest.raises(WSServerHandshakeError, match="403"):
            await page.http.ws_connect(f"{page.base}/ws", headers={"Host": page.access.authority} | offered)


@pytest.mark.parametrize("path", ["/download/x", "/page/../access.py", "/page/server.js", "/session", "/x"])
async def test_nothing_else_is_served(tmp_path: Path, path: str) -> None:
    """There are no downloads, and no files but those of the page."""
    async with served(tmp_path) as page:
        assert await page.get(path) in {404, 405}


async def test_the_console_is_seen_and_typed_into(tmp_path: Path) -> None:
    """With access, the frames of a real app arrive, and keys reach it."""
    async with served(tmp_path) as page, page.console(await page.secret()) as opened:
        seen = b""
        while b"the console is open" not in seen:
            seen += await opened.receive_bytes()
        await opened.send_json(["stdin", "x"])
        while b"pressed" not in seen:
            seen += await opened.receive_bytes()


async def test_a_page_shows_that_its_console_died(tmp_path: Path) -> None:
    """A console that ends without a word closes the page's socket; the page does not stand there frozen."""
    async with served(tmp_path) as page, page.console(await page.secret()) as opened:
        while b"the console is open" not in await opened.receive_bytes():
            pass
        await opened.send_json(["stdin", "q"])
        async for _ in opened:
            pass
        assert opened.closed


def test_a_token_is_used_once_and_in_time() -> None:
    """A token that was used, or is late, lets nobody in; nobody is known before somebody was let in."""
    access = BrowserAccess(1)
    offered = CIMultiDictProxy(CIMultiDict({"Sec-WebSocket-Protocol": "secret."}))
    assert not access.opens_console(offered)
    assert access.exchange_token(access.token)
    assert None is access.exchange_token(access.token) is access.exchange_token("")
    late = BrowserAccess(1, seconds=-1)
    assert None is late.exchange_token(late.token)


def test_no_two_starts_share_an_origin() -> None:
    """Host name and token are new for each start, so that nothing that was kept of another serves here."""
    access, other = BrowserAccess(1), BrowserAccess(1)
    assert access.origin != other.origin
    assert None is other.exchange_token(access.token)


def test_both_loopback_addresses_are_held() -> None:
    """Browsers may try ::1 before 127.0.0.1: no other program has the port there, or the start fails."""
    first, *others = listen(0)
    with closing(first), closing(others[0] if others else first):
        port = first.getsockname()[1]
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            with pytest.raises(OSError, match="in use"):
                socket.create_server((address, port), family=family)


def test_a_port_that_another_program_has_at_one_address_is_not_used() -> None:
    """A server at ::1 would get the browser's requests in place of ours: then nothing is served."""
    with socket.socket(socket.AF_INET6) as squatter:
        squatter.bind(("::1", 0))
        squatter.listen()
        with pytest.raises(OSError, match="in use"):
            listen(squatter.getsockname()[1])
