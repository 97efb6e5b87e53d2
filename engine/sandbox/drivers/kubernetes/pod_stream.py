"""The streams of a program in a Pod, over one WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator

import aiohttp

from engine.models import Stream
from engine.sandbox.api.driver import Streams
from engine.sandbox.drivers.kubernetes.channels import ChannelEnd, ChannelError, decode, stdin

_PIECE = 64 * 1024
_NUMBERS = {Stream.STDOUT: 1, Stream.STDERR: 2}


class PodStream:
    """One program's standard streams. Whoever reads it slowly slows the program down, and loses nothing."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self._websocket = websocket
        self.end: ChannelEnd | None = None
        """How it ended by the API server's status, once that was received."""
        self.trouble = ""
        """What was wrong with the last message, if it ended the stream."""

    @property
    def closed(self) -> bool:
        """Whether it is known to be closed."""
        connection = self._websocket._response.connection  # noqa: SLF001  the library has no other way to see it
        transport = connection.transport if connection is not None else None
        return self._websocket.closed or transport is None or transport.is_closing()

    async def send(self, data: bytes) -> None:
        """Write to standard input. Raises ConnectionError."""
        try:
            for start in range(0, len(data), _PIECE):
                await self._websocket.send_bytes(stdin(data[start : start + _PIECE]))
        except aiohttp.ClientError as error:
            raise ConnectionResetError(str(error)) from error

    async def output(self) -> AsyncGenerator[tuple[Stream, bytes], None]:
        """Yield what the program writes, until the stream ends or carries what no API server sends."""
        while (message := await self._websocket.receive()).type is aiohttp.WSMsgType.BINARY:
            try:
                decoded = decode(message.data)
            except ChannelError as error:
                self.trouble = str(error)
                self.abort()
                return
            if isinstance(decoded, ChannelEnd):
                self.end = decoded
            elif decoded is not None:
                yield decoded

    def abort(self) -> None:
        """Cut the connection at once: the program sees the end of its input."""
        response = self._websocket._response  # noqa: SLF001  closing the WebSocket would wait for an answer
        if response.connection is not None and response.connection.transport is not None:
            response.connection.transport.abort()
        response.close()

    async def as_streams(self, tasks: set[asyncio.Task[None]]) -> Streams:
        """Return a reader of frames and a writer, as the run logic expects; the pump's task is in `tasks`."""
        near, far = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=near)
        task = asyncio.create_task(self._pump(*await asyncio.open_connection(sock=far)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return reader, writer

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes both ways until one side ends."""
        ways = {asyncio.create_task(self._inward(reader)), asyncio.create_task(self._outward(writer))}
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self.abort()
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _inward(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_PIECE):
                await self.send(data)

    async def _outward(self, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            async with contextlib.aclosing(self.output()) as output:
                async for stream, data in output:
                    writer.write(bytes([_NUMBERS[stream], 0, 0, 0]) + len(data).to_bytes(4) + data)
                    await writer.drain()
