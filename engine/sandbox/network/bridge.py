"""The engine's end of the bridge into a sandbox: many connections over one stream.

The guest's end is `guest/bridge.pl`, run in the sandbox beside the program. All that comes from there is
hostile: frames that no bridge sends end it, and with it the sandbox's way to the proxy.
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
"""How many bytes of one connection may be on their way."""
_HEAD = struct.Struct(">cII")
_MOST_CHANNELS = 64
_MOST_BYTES = 64 * 1024


class BridgeError(Exception):
    """The guest's end said what no bridge says, or did not come up."""


@dataclass(slots=True)
class Channel:
    """One connection of the guest's, with a socket whose other end the proxy serves."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    window_left: int = WINDOW
    """How many bytes the guest's end still takes."""
    credit: int = WINDOW
    """How many bytes the guest's end may still send."""
    pieces: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    more: asyncio.Event = field(default_factory=asyncio.Event)


class Bridge:
    """Carries connections from the guest's loopback to the services that answer them."""

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
        self._carrying: asyncio.Task[None] | None = None

    async def open(self, trusted: bytes, seconds: float) -> None:
        """Send the certificates to trust, wait until the guest's end listens, and carry from then on.

        Raises BridgeError.
        """
        self._carrying = asyncio.create_task(self._carry())
        ready = asyncio.create_task(self._ready.wait())
        try:
            self._say(b"F", 0, len(trusted), trusted)
            await asyncio.wait({self._carrying, ready}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not self._ready.is_set():
            raise BridgeError("the network's bridge does not come up in the sandbox")

    async def close(self) -> None:
        """Close everything that it carries."""
        self._writer.transport.abort()
        if self._carrying is not None:
            self._carrying.cancel()
            await asyncio.wait({self._carrying})

    async def _carry(self) -> None:
        """Take frames until the stream ends or a frame is wrong; then nothing is open any more."""
        data = bytearray()
        try:
            async for stream, piece in frames(self._reader):
                if stream is Stream.STDOUT:
                    data += piece
                    await self._take(data)
        except (BridgeError, OSError):
            pass
        finally:
            self._writer.transport.abort()
            for task in self._channels.values():
                task.cancel()
            if self._channels:
                await asyncio.wait(self._channels.values())

    async def _take(self, data: bytearray) -> None:
        while len(data) >= _HEAD.size:
            kind, id, length = _HEAD.unpack_from(data)
            size = length if kind == b"D" else 0
            if size > _MOST_BYTES:
                raise BridgeError("a frame that is too large")
            if len(data) < _HEAD.size + size:
                return
            content = bytes(data[_HEAD.size : _HEAD.size + size])
            del data[: _HEAD.size + size]
            if kind == b"R":
                self._ready.set()
            elif kind == b"O":
                await self._begin(id)
            elif id in self._ends:
                self._told(self._ends[id], id, kind, length, content)

    def _told(self, end: Channel, id: int, kind: bytes, length: int, content: bytes) -> None:
        if kind == b"D":
            end.credit -= length
            if end.credit < 0:
                raise BridgeError("more than was asked for")
            end.pieces.put_nowait(content)
        elif kind == b"E":
            end.pieces.put_nowait(None)
        elif kind == b"W":
            end.window_left = min(WINDOW, end.window_left + length)
            end.more.set()
        elif kind == b"C":
            self._channels[id].cancel()

    async def _begin(self, id: int) -> None:
        if id in self._channels or len(self._channels) >= _MOST_CHANNELS:
            raise BridgeError("more connections than may be")
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        self._serve(theirs)
        self._ends[id] = Channel(reader, writer)
        self._channels[id] = asyncio.create_task(self._keep(id, self._ends[id]))

    async def _keep(self, id: int, end: Channel) -> None:
        """Carry one connection both ways until both have ended."""
        ways = {asyncio.create_task(self._inward(id, end)), asyncio.create_task(self._outward(id, end))}
        try:
            await asyncio.wait(ways)
        finally:
            for task in ways:
                task.cancel()
            end.writer.transport.abort()
            self._channels.pop(id, None)
            self._ends.pop(id, None)
            self._say(b"C", id)

    async def _inward(self, id: int, end: Channel) -> None:
        """Pass on what the proxy says to the guest, no faster than the guest takes it."""
        while True:
            while not end.window_left:
                end.more.clear()
                await end.more.wait()
            try:
                data = await end.reader.read(min(_MOST_BYTES, end.window_left))
            except OSError:
                data = b""
            if not data:
                self._say(b"E", id)
                return
            end.window_left -= len(data)
            self._say(b"D", id, len(data), data)
            await self._writer.drain()

    async def _outward(self, id: int, end: Channel) -> None:
        """Pass on what the guest says to the proxy, and let more come as it is taken."""
        while (data := await end.pieces.get()) is not None:
            try:
                end.writer.write(data)
                await end.writer.drain()
            except OSError:
                return
            end.credit += len(data)
            self._say(b"W", id, len(data))
        if not end.writer.transport.is_closing():
            end.writer.write_eof()

    def _say(self, kind: bytes, id: int, length: int = 0, content: bytes = b"") -> None:
        if not self._writer.transport.is_closing():
            self._writer.write(_HEAD.pack(kind, id, length) + content)
