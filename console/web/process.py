"""One console behind one browser tab: started without a shell, and gone when the tab is."""

from __future__ import annotations

import asyncio
import shlex
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

from textual_serve.app_service import AppService

QUIT_SECONDS = 5.0
LEAST, MOST = 20, 500
"""Cells of width and height that a browser may ask for."""


class ConsoleProcess(AppService):
    """The process of a console that a browser shows."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=bounded(width), height=bounded(height))
        command = shlex.split(self.command)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the console how large the browser's terminal is."""
        await super().set_terminal_size(bounded(width), bounded(height))

    async def run(self) -> None:
        """Pass on what the console shows, and tell the page when it has ended, however it did."""
        try:
            await super().run()
        finally:
            await self.remote_close()

    async def stop(self) -> None:
        """Ask the console to end, and see to it that it does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT_SECONDS):
                await super().stop()
        if self._process is not None:
            await _gone(self._process)
            self._process = None


async def _gone(process: Process) -> None:
    try:
        async with asyncio.timeout(QUIT_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def bounded(cells: int) -> int:
    """Return a number of cells that a terminal can have."""
    return max(LEAST, min(MOST, cells))
