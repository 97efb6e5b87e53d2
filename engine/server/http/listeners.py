"""The listeners of the engine: a Unix socket that only its owner can open, and optionally a TCP address."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from engine.common.errors import Problem
from engine.server.http.connections.acceptor import Acceptor
from engine.server.http.connections.limits import ConnectionLimits, local_limits
from engine.server.http.connections.protocol import BoundedHttpProtocol
from engine.server.http.connections.registry import Connection, ConnectionRegistry
from engine.server.http.connections.write_buffers import WriteBuffers
from engine.settings import ServerSettings

CLOSING_SECONDS = 1


def bind_unix(path: Path) -> socket.socket:
    """Return a listener at a path, replacing what is there. The caller holds the lock of the history."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    return listener


def bind_tcp(settings: ServerSettings) -> socket.socket:
    """Return a listener at the TCP address of the settings.

    Raises:
        Problem: the address cannot be used, or it is not loopback and has no TLS.
    """
    host, _, port = settings.listen.rpartition(":")
    host = host.strip("[]")
    if not settings.tls_certificate and not _is_loopback(host):
        raise Problem(
            422, f"{settings.listen} without TLS would expose tokens to the network", hint=f"Set {_TLS}."
        )
    _check_tls(settings)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as error:
        raise Problem(422, f"cannot listen at {settings.listen}: {error}", hint=f"Set {_LISTEN}.") from None
    return listener


_TLS = "server.tls_certificate and server.tls_key"
_LISTEN = "server.listen to HOST:PORT"


def _check_tls(settings: ServerSettings) -> None:
    if not settings.tls_certificate:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except OSError as error:
        message = f"{settings.tls_certificate} cannot be used: {error.strerror or error}"
        raise Problem(422, message, hint=f"Set {_TLS} to files in PEM.") from None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def create_server(
    app: ASGIApp, settings: ServerSettings | None = None, limits: ConnectionLimits | None = None
) -> EndpointServer:
    """Return a server of an application, with the TLS of `settings` if they are given."""
    tls = settings if settings and settings.tls_certificate else None
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        log_config=None,
        log_level="warning",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        ssl_certfile=tls.tls_certificate if tls else None,
        ssl_keyfile=tls.tls_key if tls else None,
    )
    return EndpointServer(config, limits or local_limits(ServerSettings().max_requests))


class EndpointServer(uvicorn.Server):
    """A server of one endpoint that accepts its connections itself, within limits."""

    def __init__(self, config: uvicorn.Config, limits: ConnectionLimits) -> None:
        super().__init__(config)
        self.connections = ConnectionRegistry(limits)
        self._buffers = WriteBuffers()
        self._acceptor: Acceptor | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections at the listener."""
        self.servers = []
        self._acceptor = Acceptor(self.connections, self._protocol, self.config.ssl)
        for listener in sockets or ():
            self.listen(listener)
        self.started = True

    def listen(self, listener: socket.socket) -> None:
        """Accept connections at another listener in place of the one before; those that there are go on."""
        if self._acceptor is not None:
            self._acceptor.open(listener)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no further connections, and close those that there are."""
        if self._acceptor is not None:
            await self._acceptor.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again before the engine has closed."""
        yield

    def _protocol(self, connection: Connection) -> BoundedHttpProtocol:
        state = self.lifespan.state
        return BoundedHttpProtocol(self.config, self.server_state, state, connection, self._buffers)
