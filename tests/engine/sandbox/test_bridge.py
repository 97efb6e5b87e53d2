"""The engine's end of the bridge into a sandbox; the test is the guest's end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator

from engine.sandbox.network.bridge import WINDOW, Bridge

HEAD = struct.Struct(">cII")


class GuestEnd:
    """Speaks as the guest does: its frames are multiplexed as Docker does."""

    def __init__(self, own: socket.socket) -> None:
        self._own = own
        self.served = list[socket.socket]()

    def say(self, *frames: bytes) -> None:
        """Send frames in one message."""
        data = b"".join(frames)
        self._own.send(struct.pack(">B3xI", 1, len(data)) + data)

    async def heard(self) -> bytes:
        """Return the next message of the engine."""
        async with asyncio.timeout(30):
            return await asyncio.get_running_loop().sock_recv(self._own, 1 << 20)


def frame(kind: bytes, id: int, length: int = 0, content: bytes = b"") -> bytes:
    """Return a frame."""
    return HEAD.pack(kind, id, length) + content


@contextlib.asynccontextmanager
async def bridged() -> AsyncIterator[tuple[Bridge, GuestEnd]]:
    """Yield an open bridge and the guest's end of it."""
    theirs, own = socket.socketpair()
    own.setblocking(False)
    guest = GuestEnd(own)
    bridge = Bridge(*await asyncio.open_unix_connection(sock=theirs), guest.served.append)
    guest.say(frame(b"R", 0))
    await bridge.open(b"", 30)
    assert frame(b"F", 0) == await guest.heard()
    yield bridge, guest
    await bridge.close()
    own.close()


async def read(connection: socket.socket, size: int) -> bytes:
    """Return bytes of a connection; fewer where it ends."""
    connection.setblocking(False)
    data = b""
    async with asyncio.timeout(30):
        while len(data) < size and (piece := await asyncio.get_running_loop().sock_recv(connection, size)):
            data += piece
    return data


async def test_a_connection_is_asked_for_together_with_its_first_bytes() -> None:
    """One message wakes the process in the sandbox once."""
    async with bridged() as (bridge, guest), contextlib.AsyncExitStack() as stack:
        stack.enter_context(bridge.connect(b"GET /"))
        assert frame(b"O", 1) + frame(b"D", 1, 5, b"GET /") == await guest.heard()


async def test_the_guest_is_told_of_what_was_read_in_large_pieces() -> None:
    """A quarter of the window, not each short answer."""
    async with bridged() as (bridge, guest):
        with bridge.connect(b"") as connection:
            await guest.heard()
            rest = b"x" * (WINDOW // 4 - 1)
            guest.say(frame(b"D", 1, 1, b"x"))
            assert b"x" == await read(connection, 1)
            guest.say(frame(b"D", 1, len(rest), rest))
            assert rest == await read(connection, len(rest))
            assert frame(b"W", 1, WINDOW // 4) == await guest.heard()


async def test_a_connection_that_nobody_accepts_ends() -> None:
    """The guest says that it is closed."""
    async with bridged() as (bridge, guest):
        with bridge.connect(b"GET /") as connection:
            guest.say(frame(b"C", 1))
            assert b"" == await read(connection, 1)


async def test_a_connection_of_the_guest_that_is_closed_with_the_same_message_ends() -> None:
    """It was never served; both ends learn it."""
    async with bridged() as (_, guest):
        guest.say(frame(b"O", 7), frame(b"C", 7))
        assert frame(b"C", 7) == await guest.heard()
        with guest.served[0] as connection:
            assert b"" == await read(connection, 1)
