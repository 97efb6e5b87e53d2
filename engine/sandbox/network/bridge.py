"""The engine's end of the network bridge: many connections multiplexed over one stream.

The guest's end is `guest/bridge.pl`, which runs in the sandbox beside the program. Everything it sends is
untrusted: an invalid frame closes the bridge, and with it the sandbox's only route to the proxy.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.models import Stream
from engine.sandbox.guest_protocol.framing import frames

WINDOW = 256 * 1024
"""How many bytes of one connection may be in flight."""
_REOPENED = WINDOW // 4
"""How many bytes were read before the other end is told: each message wakes a process in the sandbox."""
_HEAD = struct.Struct(">cII")
_MAX_CHANNELS = 64
_MAX_FRAME_BYTES = 64 * 1024


class BridgeError(Exception):
    """The guest's end sent an invalid frame, or did not start."""


@dataclass(slots=True)
class Channel:
    """One connection of the guest."""

    send_window: int = WINDOW
    """How many bytes we may still send to the guest's end."""
    receive_window: int = WINDOW
    """How many bytes the guest's end may still send to us."""
    received: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    window_opened: asyncio.Event = field(default_factory=asyncio.Event)


class Bridge:
    """Carries connections from the guest's loopback interface to the proxy."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        serve: Callable[[socket.socket], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._serve = serve
        self._channels: dict[int, asyncio.Task[None]] = {}
        self._ends: dict[int, Channel] = {}
        self._ready = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._asked = 0
        """How many connections were asked of the guest's end."""

    async def open(self, trusted: bytes, seconds: float) -> None:
        """Send the trusted certificates and wait until the guest's end listens. Raises BridgeError."""
        self._reading = asyncio.create_task(self._read())
        ready = asyncio.create_task(self._ready.wait())
        try:
            self._send(b"F", 0, len(trusted), trusted)
            await asyncio.wait({self._reading, ready}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not self._ready.is_set():
            raise BridgeError("the network bridge did not start in the sandbox")

    def connect(self, first: bytes) -> socket.socket:
        """Ask the guest's end for a connection that begins with `first`, one frame at most.

        Return our end of it; it is closed if there is none.

        Raises:
            BridgeError: the bridge is closed, or has too many connections.
        """
        if self._reading is None or self._reading.done() or len(self._channels) >= _MAX_CHANNELS:
            raise BridgeError("the bridge into the sandbox is closed or busy")
        self._asked += 1
        id = self._asked
        ours, theirs = socket.socketpair()
        self._begin_channel(id, ours, WINDOW - len(first))
        self._write(_frame(b"O", id) + _frame(b"D", id, len(first), first))
        return theirs

    async def wait_closed(self) -> None:
        """Wait until the guest's end is gone."""
        if self._reading is not None:
            await asyncio.wait({self._reading})

    async def close(self) -> None:
        """Close every connection."""
        self._writer.transport.abort()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _read(self) -> None:
        """Handle frames until the stream ends or a frame is invalid; then close every connection."""
        data = bytearray()
        try:
            async for stream, piece in frames(self._reader):
                if stream is Stream.STDOUT:
                    data += piece
                    self._parse(data)
        except (BridgeError, OSError):
            pass
        finally:
            self._writer.transport.abort()
            for task in self._channels.values():
                task.cancel()
            if self._channels:
                await asyncio.wait(self._channels.values())

    def _parse(self, data: bytearray) -> None:
        while len(data) >= _HEAD.size:
            kind, id, length = _HEAD.unpack_from(data)
            size = length if kind == b"D" else 0
            if size > _MAX_FRAME_BYTES:
                raise BridgeError("the guest sent a frame that is too large")
            if len(data) < _HEAD.size + size:
                return
            content = bytes(data[_HEAD.size : _HEAD.size + size])
            del data[: _HEAD.size + size]
            if kind == b"R":
                self._ready.set()
            elif kind == b"O":
                self._open_channel(id)
            elif id in self._ends:
                self._handle(self._ends[id], id, kind, length, content)

    def _handle(self, end: Channel, id: int, kind: bytes, length: int, content: bytes) -> None:
        if kind == b"D":
            end.receive_window -= length
            if end.receive_window < 0:
                raise BridgeError("the guest sent more than its window")
            end.received.put_nowait(content)
        elif kind == b"E":
            end.received.put_nowait(None)
        elif kind == b"W":
            end.send_window = min(WINDOW, end.send_window + length)
            end.window_opened.set()
        elif kind == b"C":
            self._channels[id].cancel()

    def _open_channel(self, id: int) -> None:
        if id in self._channels or len(self._channels) >= _MAX_CHANNELS:
            raise BridgeError("the guest opened too many connections")
        ours, theirs = socket.socketpair()
        self._begin_channel(id, ours, WINDOW)
        self._serve(theirs)

    def _begin_channel(self, id: int, ours: socket.socket, send_window: int) -> None:
        """Know a connection from now on, and serve `ours`, the other end of the socket that is used."""
        self._ends[id] = Channel(send_window)
        self._channels[id] = asyncio.create_task(self._serve_channel(id, self._ends[id], ours))
        self._channels[id].add_done_callback(lambda _: self._end_channel(id, ours))

    def _end_channel(self, id: int, ours: socket.socket) -> None:
        ours.close()  # it may have been cancelled before it was served
        self._channels.pop(id, None)
        self._ends.pop(id, None)
        self._send(b"C", id)

    async def _serve_channel(self, id: int, end: Channel, ours: socket.socket) -> None:
        """Copy one connection in both directions until both have ended."""
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        directions = {
            asyncio.create_task(self._to_guest(id, end, reader)),
            asyncio.create_task(self._to_proxy(id, end, writer)),
        }
        try:
            await asyncio.wait(directions)
        finally:
            for task in directions:
                task.cancel()
            writer.transport.abort()

    async def _to_guest(self, id: int, end: Channel, reader: asyncio.StreamReader) -> None:
        """Copy from the proxy to the guest, within the guest's window."""
        while True:
            while not end.send_window:
                end.window_opened.clear()
                await end.window_opened.wait()
            try:
                data = await reader.read(min(_MAX_FRAME_BYTES, end.send_window))
            except OSError:
                data = b""
            if not data:
                self._send(b"E", id)
                return
            end.send_window -= len(data)
            self._send(b"D", id, len(data), data)
            await self._writer.drain()

    async def _to_proxy(self, id: int, end: Channel, writer: asyncio.StreamWriter) -> None:
        """Copy from the guest to the proxy, and reopen the window as the proxy reads."""
        taken = 0
        while (data := await end.received.get()) is not None:
            try:
                writer.write(data)
                await writer.drain()
            except OSError:
                return
            taken += len(data)
            if taken >= _REOPENED:
                end.receive_window += taken
                self._send(b"W", id, taken)
                taken = 0
        if not writer.transport.is_closing():
            writer.write_eof()

    def _send(self, kind: bytes, id: int, length: int = 0, content: bytes = b"") -> None:
        self._write(_frame(kind, id, length, content))

    def _write(self, data: bytes) -> None:
        if not self._writer.transport.is_closing():
            self._writer.write(data)


def _frame(kind: bytes, id: int, length: int = 0, content: bytes = b"") -> bytes:
    return _HEAD.pack(kind, id, length) + content
