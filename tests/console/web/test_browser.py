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
from aiohttp import web

from console.pictures.decode import thumbnail
from tests.console.support.browser import PATIENCE_SECONDS, browser
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.terminal

PRATIQUE = Path(sys.executable).with_name("pratique")
KNOCK = """new Promise(say => {
    const socket = new WebSocket("ws://AUTHORITY/ws?width=80&height=24");
    socket.onopen = () => say("open"); socket.onerror = () => say("refused");
})"""


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


@asynccontextmanager
async def stranger() -> AsyncIterator[str]:
    """Yield the address of a page of somebody else's, on this machine."""
    runner = web.AppRunner(web.Application())
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield site.name
    finally:
        await runner.cleanup()


def colours(picture: bytes) -> int:
    """Return how many colours a picture has, made small."""
    _, _, pixels = thumbnail(picture, 400, 300)
    return len(set(zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True)))


async def test_a_browser_shows_the_console_and_nobody_elses_page_has_it(
    engine: EngineProcess, tmp_path: Path
) -> None:
    """The address opens the console, a key another place; neither a second use nor a strange page gets in."""
    async with served(engine) as address, browser(tmp_path / "browser") as page, stranger() as strange:
        await page.open(address)
        await page.see("Review", "Queue is empty")
        assert 20 < colours(await page.picture())
        await page.press("5")
        await page.see("endpoint: socket")
        await page.open(address)
        await page.see("Access denied.")
        await page.open(strange)
        await page.see("404")
        assert "refused" == await page.run(KNOCK.replace("AUTHORITY", address.split("/")[2]))
