"""A real browser: Chromium without a window, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 0.1
NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    *("--headless=new", "--remote-debugging-port=0", "--window-size=1300,800", "--disable-gpu"),
    *("--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking"),
    "--no-sandbox",  # it may be started by root here, and opens nothing but pages of these tests
)
CATCH = """Object.defineProperty(Object.prototype, "fitAddon", {configurable: true, set(value) {
    Object.defineProperty(this, "fitAddon", {value, writable: true}); window.desk = this.terminal;
}});"""
"""Keeps hold of the terminal that the page makes: it draws pixels, and its text stands nowhere else."""
READ = """window.desk ? Array.from({length: desk.rows}, (_, row) =>
    desk.buffer.active.getLine(row)?.translateToString(true) ?? "").join("\\n") : document.body.innerText"""


class NavigatedError(Exception):
    """The page was left while it was asked."""


class Browser:
    """One page of a browser."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0

    async def open(self, address: str) -> None:
        """Go to an address, in a page that keeps hold of its terminal."""
        await self._call("Page.enable")
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=CATCH)
        await self._call("Page.navigate", url=address)

    async def run(self, script: str) -> Any:
        """Return what a script in the page comes to."""
        answer = await self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        return answer["result"].get("value")

    async def see(self, *texts: str) -> str:
        """Return what the terminal shows, or a page without one, once all `texts` are there."""
        screen = ""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    with suppress(NavigatedError):
                        screen = str(await self.run(READ))
                    if all(text in screen for text in texts):
                        return screen
                    await asyncio.sleep(LOOK_SECONDS)
        raise AssertionError(f"never saw {texts} together; the page shows:\n{screen}")

    async def press(self, key: str) -> None:
        """Press a key that writes a character."""
        await self._call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        await self._call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def picture(self) -> bytes:
        """Return the page as it is painted, as PNG."""
        answer = await self._call("Page.captureScreenshot", format="png")
        return base64.b64decode(answer["data"])

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._calls += 1
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._socket.send_json({"id": self._calls, "method": method, "params": parameters})
            while (answer := await self._socket.receive_json()).get("id") != self._calls:
                pass
        if "navigated" in str(answer.get("error")):
            raise NavigatedError
        assert "error" not in answer, answer
        return dict(answer["result"])


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Browser]:
    """Yield a browser whose state lies in `folder`; skip the test where this machine can start none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium here. Type: sudo apt-get install chromium")
    process = await asyncio.create_subprocess_exec(
        *(program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"),
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        env={**os.environ, "HOME": str(folder)},
        start_new_session=True,
    )
    try:
        port = await _port(process, folder / "DevToolsActivePort")
        async with ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                page = next(each for each in await answer.json() if each["type"] == "page")
            async with session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield Browser(socket)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _port(process: Process, written: Path) -> int:
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while process.returncode is None:
                if written.exists() and len(lines := written.read_text().splitlines()) == 2:
                    return int(lines[0])
                await asyncio.sleep(LOOK_SECONDS)
    pytest.skip(f"Chromium does not start here (exit code {process.returncode})")
