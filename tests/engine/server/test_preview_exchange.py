"""What the log of a preview says of a request whose browser left."""

from __future__ import annotations

import asyncio
import socket

import pytest

from engine.server.preview.exchange import GONE, PreviewExchange
from engine.server.preview.gate import COOKIE, Gate

HOST = b"abc.localhost:4000"


class Port:
    """A server that answers, and keeps its connection open."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.server: socket.socket | None = None

    def connect(self, first: bytes) -> socket.socket:
        """Answer at once."""
        ours, theirs = socket.socketpair()
        theirs.sendall(self._answer)
        self.server = theirs
        return ours

    async def wait_closed(self) -> None:
        """It stays open."""

    async def close(self) -> None:
        """End the connection."""
        if self.server is not None:
            self.server.close()


@pytest.mark.parametrize(
    ("status", "method", "answer"),
    [
        (200, b"GET", b"Content-Length: 2\r\n\r\nok"),
        (200, b"GET", b"content-length:0\r\n\r\n"),
        (200, b"HEAD", b"Content-Length: 500\r\n\r\n"),
        (GONE, b"GET", b"Content-Length: 3\r\n\r\nok"),
        (GONE, b"GET", b"X-Content-Length: 2\r\n\r\nok"),
        (GONE, b"GET", b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"),
    ],
)
async def test_a_browser_that_has_all_of_the_answer_did_not_leave_early(
    status: int, method: bytes, answer: bytes
) -> None:
    """The server may keep its connection open for longer than the browser waits."""
    port = Port(b"HTTP/1.1 200 OK\r\n" + answer)
    exchange = PreviewExchange(Gate(HOST, b"secret", b"ticket"), port, asyncio.Semaphore(1))
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    serving = asyncio.create_task(exchange.serve(await asyncio.open_unix_connection(sock=theirs)))
    writer.write(b"%b / HTTP/1.1\r\nHost: %b\r\nCookie: %b=secret\r\n\r\n" % (method, HOST, COOKIE))
    body = answer.partition(b"\r\n\r\n")[2]
    async with asyncio.timeout(20):
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(body))
        writer.close()
        await serving
    assert exchange.logged is not None
    assert (status, len(body)) == (exchange.logged.status, exchange.logged.size)
    await port.close()
