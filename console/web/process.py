"""The console process of one browser tab: started without a shell, ended with the tab."""

from __future__ import annotations

import asyncio
import shlex
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

from textual_serve.app_service import AppService

QUIT_SECONDS = 5.0
MIN_CELLS, MAX_CELLS = 20, 500
"""The smallest and largest width and height of a terminal, in cells."""


class ConsoleProcess(AppService):
    """A console process whose output a browser shows."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=bounded(width), height=bounded(height))
        command = shlex.split(self.command)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Set the size of the console's terminal."""
        await super().set_terminal_size(bounded(width), bounded(height))

    async def run(self) -> None:
        """Forward the output of the console, and close the page when the process ends."""
        try:
            await super().run()
        finally:
            await self.remote_close()

    async def stop(self) -> None:
        """Ask the console to quit, and kill it if it does not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT_SECONDS):
                await super().stop()
        if self._process is not None:
            await _wait_or_kill(self._process)
            self._process = None


async def _wait_or_kill(process: Process) -> None:
    try:
        async with asyncio.timeout(QUIT_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def bounded(cells: int) -> int:
    """Return a number of cells within the limits."""
    return max(MIN_CELLS, min(MAX_CELLS, cells))
