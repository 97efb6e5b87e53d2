"""A Docker behind `ssh`, as a socket of this machine: each connection to it is an `ssh` of its own."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

_CLOSE_SECONDS = 5.0
_WORD_SECONDS = 1.0
"""How long after its connection broke an `ssh` may take to say why."""
_MOST_SAID = 300


class SshTunnel:
    """Listens where nobody else may, until it is closed. `ssh` shares one connection for all of them."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = ""
        self._failed = asyncio.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="pratique-ssh-"))
        program, *arguments = command
        self._command = [program, "-o", f"ControlPath={self._folder}/m", *arguments]
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / "docker.sock"))
        self._listener.listen()
        self._listener.setblocking(False)
        self._carrying: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._accept())

    @property
    def url(self) -> str:
        """Where Docker's client finds it."""
        return f"unix://{self._folder}/docker.sock"

    async def trouble(self) -> str:
        """Return what the `ssh` said that was started last, where it fails about now; else nothing."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_WORD_SECONDS):
                await self._failed.wait()
        return self._errors

    async def close(self) -> None:
        """End every connection."""
        tasks = {self._accepting, *self._carrying}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            end, _ = await loop.sock_accept(self._listener)
            task = asyncio.create_task(self._carry(end))
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    async def _carry(self, end: socket.socket) -> None:
        """Let one `ssh` have a connection for its standard input and output."""
        self._errors = ""
        self._failed.clear()
        with end:
            end.setblocking(True)
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=end.fileno(),
                    stdout=end.fileno(),
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                self._fail(f"ssh cannot be started: {error.strerror}")
                return
        try:
            _, errors = await process.communicate()
        finally:
            await _ended(process)
        if process.returncode:
            lines = errors.decode("utf-8", "replace").strip().splitlines() or ["ssh ended without a word"]
            self._fail(lines[-1][:_MOST_SAID])

    def _fail(self, errors: str) -> None:
        self._errors = errors
        self._failed.set()


async def _ended(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await process.wait()
