"""`pratique web` in a real browser: the console is painted, takes keys, and only this browser has it."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, WSServerHandshakeError, web

from console.pictures.decode import thumbnail
from tests.console.support.browser import PATIENCE_SECONDS, browser
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.terminal

PRATIQUE = Path(sys.executable).with_name("pratique")
KNOCK = """new Promise(say => {
    const socket = new WebSocket("ws://AUTHORITY/ws?width=80&height=24", ["pratique"]);
    socket.onopen = () => say("open"); socket.onerror = () => say("refused");
})"""
FETCH = """fetch("http://AUTHORITY/session", {method: "POST", headers: {"Pratique-Token": "x"}})
    .then(() => "read", () => "refused")"""
BLIND = """fetch("http://AUTHORITY/", {mode: "no-cors", credentials: "include"})
    .then(() => "sent", () => "refused")"""
FRAME = """new Promise(say => {
    const frame = document.createElement("iframe");
    frame.src = "http://AUTHORITY/";
    frame.onload = () => {
        try { say(frame.contentWindow.document.title || "empty") } catch { say("refused") }
    };
    document.body.append(frame);
})"""
WORKER = """navigator.serviceWorker ? navigator.serviceWorker.register("http://AUTHORITY/page/focus.js")
    .then(() => "registered", () => "refused") : "refused" """
STORAGE = """String(sessionStorage.getItem("pratique")) + document.cookie"""
ATTACKS = {"refused": (KNOCK, FETCH, FRAME, WORKER), "null": (STORAGE,)}
"""What a page of another origin tries, by what comes of it."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    """Yield an engine of its own."""
    process = EngineProcess(tmp_path / "home")
    process.home.mkdir()
    process.start()
    yield process
    process.end()


@asynccontextmanager
async def served(engine: EngineProcess) -> AsyncIterator[str]:
    """Yield the address that `pratique web` prints."""
    process = await asyncio.create_subprocess_exec(
        PRATIQUE, "web", env=engine.environment, stdin=DEVNULL, stdout=PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (found := re.search(rb"http://\S+", await process.stdout.readline())):
                assert process.returncode is None
        yield found[0].decode()
    finally:
        process.terminate()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await process.communicate()


class Stranger:
    """A server of somebody else's on this machine, which keeps all that it receives."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.port = 0

    async def answer(self, request: web.Request) -> web.Response:
        """Record a request, and answer with an empty page."""
        self.received.append(f"{request.rel_url} {request.headers} {await request.text()}")
        return web.Response(text="a stranger's page", content_type="text/html")


@asynccontextmanager
async def stranger() -> AsyncIterator[Stranger]:
    """Yield a stranger's server at a port of its own."""
    strange, app = Stranger(), web.Application()
    app.router.add_route("*", "/{path:.*}", strange.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        strange.port = int(site.name.rsplit(":")[-1])
        yield strange
    finally:
        await runner.cleanup()


def colours(picture: bytes) -> int:
    """Return how many colours a picture has, made small."""
    _, _, pixels = thumbnail(picture, 400, 300)
    return len(set(zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True)))


async def test_a_browser_shows_the_console_to_one_tab(engine: EngineProcess, tmp_path: Path) -> None:
    """The address opens the console, a key another place, a reload the console again."""
    async with served(engine) as address, browser(tmp_path / "browser") as page:
        await page.open(address)
        await page.see("Review", "Queue is empty")
        assert 20 < colours(await page.picture())
        assert "#" not in str(await page.run("location.href"))
        await page.press("5")
        await page.see("endpoint: socket")
        await page.run("location.reload()")
        await page.see("Review", "Queue is empty")
        await page.run("sessionStorage.clear()")
        await page.open(address.replace("/#", "/?again#"))
        await page.see("Access denied.")


async def test_another_port_receives_nothing_that_opens_the_console(
    engine: EngineProcess, tmp_path: Path
) -> None:
    """Pages of another port, even of the same host name, get no secret, and what they know opens nothing."""
    async with served(engine) as address, browser(tmp_path / "browser") as page, stranger() as strange:
        await page.open(address)
        await page.see("Review", "Queue is empty")
        secret = str(await page.run('sessionStorage.getItem("pratique")'))
        authority = address.split("/")[2]
        for host in ("127.0.0.1", "localhost", authority.split(":")[0]):
            await page.open(f"http://{host}:{strange.port}/")
            await page.see("a stranger's page")
            await page.run(BLIND.replace("AUTHORITY", authority))
            for expected, attacks in ATTACKS.items():
                for attack in attacks:
                    assert expected == await page.run(attack.replace("AUTHORITY", authority)), (host, attack)
        assert 3 <= len(strange.received)
        assert not [each for each in strange.received if secret in each or address.split("#")[1] in each]
        assert not [each for each in strange.received if "Cookie" in each]
        async with ClientSession() as forger:
            forged = {
                "Host": authority,
                "Origin": f"http://{authority}",
                "Sec-WebSocket-Protocol": "pratique",
            }
            with pytest.raises(WSServerHandshakeError, match="403"):
                await forger.ws_connect(f"http://127.0.0.1:{authority.split(':')[1]}/ws", headers=forged)
