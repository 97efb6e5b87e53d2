"""A preview that is open: it listens on the loopback, and keeps the last requests."""

from __future__ import annotations

import asyncio
import errno
import secrets
import socket
from collections import deque
from datetime import UTC, datetime

from engine.models import OpenedPreview, Preview, PreviewRequest
from engine.sandbox.api.guest_port import GuestPort
from engine.server.preview.exchange import PIECE, PreviewExchange
from engine.server.preview.gate import ENTRANCE, Gate

KEPT_REQUESTS = 500
AT_ONCE = 48
"""Connections into the sandbox; more wait."""
MOST_CONNECTIONS = 256
"""Connections of browsers; more are closed at once."""
ATTEMPTS = 20


class PreviewListener:
    """Answers requests on a port of the loopback of this machine."""

    def __init__(self, id: str, run: str, port: int, guest: GuestPort) -> None:
        self.id = id
        self.run = run
        self.guest = guest
        self.requests: deque[PreviewRequest] = deque(maxlen=KEPT_REQUESTS)
        self._port = port
        self._count = 0
        self._opened_at = datetime.now(UTC)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._gate = Gate(b"", secrets.token_urlsafe(32).encode())

    async def start(self) -> None:
        """Begin to listen. Raises OSError."""
        sockets = loopback_sockets()
        port = sockets[0].getsockname()[1]
        self._servers = [await asyncio.start_server(self._serve, sock=one, limit=PIECE) for one in sockets]
        self._gate.host = f"{secrets.token_hex(8)}.localhost:{port}".encode()

    @property
    def preview(self) -> Preview:
        """What it is now."""
        return Preview(id=self.id, run=self.run, port=self._port, host=self._gate.host.decode(),
                       opened_at=self._opened_at, requests=self._count)  # fmt: skip

    def link(self) -> OpenedPreview:
        """Return a new link; the one before, if it was not opened, is void."""
        self._gate.ticket = secrets.token_urlsafe(16).encode()
        url = b"http://%b%b?t=%b" % (self._gate.host, ENTRANCE, self._gate.ticket)
        return OpenedPreview(preview=self.preview, link=url.decode())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchange = PreviewExchange(self._gate, self.guest, self._slots)
        if len(self._connections) < MOST_CONNECTIONS and (task := asyncio.current_task()):
            self._connections.add(task)
            try:
                await exchange.serve((reader, writer))
            finally:
                self._connections.discard(task)
        writer.transport.abort()
        if exchange.logged is not None:
            self._count += 1
            self.requests.append(exchange.logged)

    async def close(self) -> None:
        """Stop listening, and end every connection."""
        for server in self._servers:
            server.close()
        for task in self._connections:
            task.cancel()
        await self.guest.close()


def loopback_sockets() -> list[socket.socket]:
    """Return listening sockets of the loopback with one port, of IPv4 and, where there is one, of IPv6.

    Browsers try both for a name in `localhost`: on the other one somebody else could listen. Raises OSError.
    """
    for _ in range(ATTEMPTS):
        first = socket.create_server(("127.0.0.1", 0))
        try:
            second = socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return [first]
            first.close()
        else:
            return [first, second]
    raise OSError(errno.EADDRINUSE, "no port of the loopback is free")
