"""The listeners of the engine: a Unix socket that only its owner can open, and optionally a TCP address."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import resource
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from engine.common.errors import Problem
from engine.server.http.problems import MEDIA_TYPE, problem_response
from engine.settings import ServerSettings

CLOSING_SECONDS = 1
KEEP_ALIVE_SECONDS = 60
"""Longer than clients keep an idle connection (5 s): none is closed under a request on its way."""
HEAD_SECONDS = 20.0
"""How long the head of a request may take, or the first byte of a connection's first."""
HEAD_BYTES = 64 * 1024
"""What a request may have outside its body: its head, the framing of chunks, trailers."""


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


def create_server(app: ASGIApp, settings: ServerSettings | None = None) -> uvicorn.Server:
    """Return a server of an application, with the TLS of `settings` if they are given."""
    tls = settings if settings and settings.tls_certificate else None
    config = uvicorn.Config(
        app,
        http=BoundedHttpProtocol,
        ws="none",
        log_config=None,
        log_level="warning",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ssl_certfile=tls.tls_certificate if tls else None,
        ssl_keyfile=tls.tls_key if tls else None,
    )
    return _Server(config)


class BoundedHttpProtocol(HttpToolsProtocol):
    """HTTP/1.1 with bounds for time, memory and connections; errors are answered as problems."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout of the first request; refuse the connection if there are too many."""
        super().connection_made(transport)
        self._overhead = self._fresh = 0
        self._head_timeout = self.loop.call_later(HEAD_SECONDS, transport.close)
        if len(self.connections) > max_connections():
            self._refuse("503 Service Unavailable", Problem(503, "too many open connections"))

    def data_received(self, data: bytes) -> None:
        """Parse data, unless a request has too many bytes outside its body."""
        self._fresh = len(data)
        super().data_received(data)
        self._overhead += self._fresh
        if self._overhead > HEAD_BYTES and not self.transport.is_closing():
            problem = Problem(431, f"a request has at most {HEAD_BYTES} bytes outside its body")
            self._refuse("431 Request Header Fields Too Large", problem)

    def on_message_begin(self) -> None:
        """Restart the timeout for the next request."""
        self._overhead = 0
        self._head_timeout.cancel()
        self._head_timeout = self.loop.call_later(HEAD_SECONDS, self.transport.close)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop the timeout: the head of the request is complete."""
        self._head_timeout.cancel()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Leave the body out of the count: the middleware limits it."""
        self._fresh -= len(body)
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._head_timeout.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse("400 Bad Request", Problem(400, "this is not a valid HTTP request"))

    def _refuse(self, status: str, problem: Problem) -> None:
        body = bytes(problem_response(problem).body)
        head = (
            f"HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def max_connections() -> int:
    """Return the connection limit of one endpoint: a third of the process's open files."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again before the engine has closed."""
        yield
