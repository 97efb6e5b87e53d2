"""Accepts the connections of one endpoint, and counts each before anything is done for it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable

from engine.common import log
from engine.common.errors import Problem
from engine.common.socket_peer import is_foreign
from engine.server.http.connections.protocol import raw_response
from engine.server.http.connections.registry import Connection, ConnectionRegistry

BACKLOG = 2048
AT_ONCE = 64
"""Connections that are accepted before others get their turn."""
HANDSHAKE_SECONDS = 5.0
PAUSE_SECONDS = 0.2
"""How long nothing is accepted after the system had no descriptor or memory for a connection."""
NO_PLACE = raw_response(
    "503 Service Unavailable",
    Problem(503, "too many open connections", hint="Close some, or try again in a minute.", retry_after=60),
)

NOT_THE_OWNER = raw_response(
    "403 Forbidden", Problem(403, "this socket is for its owner", hint="Use the TCP address, with a token.")
)


class Acceptor:
    """Accepts connections as long as it is open; more than the registry takes are dropped at once."""

    def __init__(
        self,
        registry: ConnectionRegistry,
        create: Callable[[Connection], asyncio.Protocol],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._registry = registry
        self._create = create
        self._tls = tls
        self._loop = asyncio.get_running_loop()
        self._listener: socket.socket | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, listener: socket.socket) -> None:
        """Accept connections at a bound socket, in place of the one before."""
        self.stop()
        listener.setblocking(False)
        listener.listen(BACKLOG)
        self._listener = listener
        self._loop.add_reader(listener.fileno(), self._accept, listener)

    def stop(self) -> None:
        """Accept no further connections; those that there are go on."""
        if self._listener is not None:
            self._loop.remove_reader(self._listener.fileno())
            self._listener.close()
            self._listener = None

    async def close(self) -> None:
        """Accept no further connections, and end the handshakes."""
        self.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(AT_ONCE):
            try:
                accepted, address = listener.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:
                continue
            except OSError as error:
                self._pause(listener, error)
                return
            self._take(accepted, address[0] if isinstance(address, tuple) else "")

    def _pause(self, listener: socket.socket, error: OSError) -> None:
        """Drop a connection to free a descriptor, and accept again a little later."""
        dropped = self._registry.drop_oldest()
        log.warning("connections.paused", reason=str(error.strerror), dropped=dropped)
        self._loop.remove_reader(listener.fileno())
        self._loop.call_later(PAUSE_SECONDS, self._resume, listener)

    def _resume(self, listener: socket.socket) -> None:
        if listener is self._listener:
            self._loop.add_reader(listener.fileno(), self._accept, listener)

    def _take(self, accepted: socket.socket, address: str) -> None:
        if is_foreign(accepted):
            self._refuse(accepted, NOT_THE_OWNER)
            return
        connection = self._registry.enter(address, lambda: _shut(accepted))
        accepted.setblocking(False)
        if connection is None:
            self._refuse(accepted, NO_PLACE)
            return
        task = self._loop.create_task(self._connect(accepted, connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _refuse(self, accepted: socket.socket, why: bytes) -> None:
        with accepted, contextlib.suppress(OSError):
            if self._tls is None:
                accepted.send(why)

    async def _connect(self, accepted: socket.socket, connection: Connection) -> None:
        """Hand the connection to its protocol, after its TLS handshake; what fails is closed and not told."""
        timeout = HANDSHAKE_SECONDS if self._tls else None
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._create(connection), accepted, ssl=self._tls, ssl_handshake_timeout=timeout
            )
        except (OSError, ssl.SSLError, asyncio.CancelledError):
            connection.close()
            _shut(accepted)
            with contextlib.suppress(OSError, RuntimeError):
                accepted.close()


def _shut(accepted: socket.socket) -> None:
    """End a connection whoever owns its descriptor; its transport then sees the end."""
    with contextlib.suppress(OSError):
        accepted.shutdown(socket.SHUT_RDWR)
