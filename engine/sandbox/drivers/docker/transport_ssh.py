"""Makes a Docker engine behind SSH available as a local socket: each connection starts one `ssh`."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

_CLOSE_SECONDS = 5.0
_ERROR_SECONDS = 1.0
"""How long to wait for the error message of an `ssh` whose connection broke."""
_MAX_ERROR_CHARACTERS = 300


class SshTunnel:
    """Listens on a private socket until it is closed. All connections share one SSH connection."""

    def __init__(self, command: Sequence[str]) -> None:
        self._error = ""
        self._failed = asyncio.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="pratique-ssh-"))
        program, *arguments = command
        self._command = [program, "-o", f"ControlPath={self._folder}/m", *arguments]
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / "docker.sock"))
        self._listener.listen()
        self._listener.setblocking(False)
        self._connections: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._accept())

    @property
    def url(self) -> str:
        """The URL for Docker's client."""
        return f"unix://{self._folder}/docker.sock"

    async def error_message(self) -> str:
        """Return the error of the last `ssh` if it fails about now; otherwise an empty string."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ERROR_SECONDS):
                await self._failed.wait()
        return self._error

    async def close(self) -> None:
        """Close every connection."""
        tasks = {self._accepting, *self._connections}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            end, _ = await loop.sock_accept(self._listener)
            task = asyncio.create_task(self._connect(end))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    async def _connect(self, end: socket.socket) -> None:
        """Run one `ssh` with a connection as its standard input and output."""
        self._error = ""
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
            _, stderr = await process.communicate()
        finally:
            await _terminate(process)
        if process.returncode:
            lines = stderr.decode("utf-8", "replace").strip().splitlines() or [
                "ssh failed without an error message"
            ]
            self._fail(lines[-1][:_MAX_ERROR_CHARACTERS])

    def _fail(self, error: str) -> None:
        self._error = error
        self._failed.set()


async def _terminate(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await process.wait()
