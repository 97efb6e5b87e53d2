"""A door to the real Docker that can hang, break and come back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path


class DockerProxy:
    """Passes bytes between a Unix socket of its own and Docker's."""

    def __init__(self, path: Path, docker: Path = Path("/var/run/docker.sock")) -> None:
        self.path = path
        self._docker = docker
        self._moving = asyncio.Event()
        self._moving.set()
        self._open: set[asyncio.StreamWriter] = set()
        self._broken = False
        self._serving: set[asyncio.Task[None]] = set()

    def hang(self) -> None:
        """Answer nothing from here on, and keep every connection open."""
        self._moving.clear()

    def go_on(self) -> None:
        """Answer again."""
        self._broken = False
        self._moving.set()

    def break_off(self) -> None:
        """Close every connection and take no new one."""
        self._broken = True
        for writer in self._open:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve meanwhile."""
        server = await asyncio.start_unix_server(self._serve, self.path)
        try:
            yield
        finally:
            self._moving.set()
            self.break_off()
            server.close()
            if self._serving:
                await asyncio.wait(self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        if self._broken:
            writer.transport.abort()
            return
        behind_reader, behind_writer = await asyncio.open_unix_connection(str(self._docker))
        both = {writer, behind_writer}
        self._open |= both
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass(reader, behind_writer))
                group.create_task(self._pass(behind_reader, writer))
        finally:
            self._open -= both
            for end in both:
                end.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):  # RuntimeError: uvloop, where it is closed
            while data := await reader.read(65536):
                await self._moving.wait()
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
