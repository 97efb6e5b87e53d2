"""Where the engine listens: a Unix socket that is its owner's, and a TCP address where one is set."""

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
from engine.server.http.responses import PROBLEM, answer
from engine.settings import ServerSettings

CLOSING_SECONDS = 1
KEEP_ALIVE_SECONDS = 60
"""Longer than clients keep an idle connection (5 s): none is closed under a request on its way."""
HEAD_SECONDS = 20.0
"""How long the head of a request may take, or the first byte of a connection's first."""
HEAD_BYTES = 64 * 1024
"""What a request may have beside its body: its head, the framing of chunks, trailers."""


def unix(path: Path) -> socket.socket:
    """Take the socket's place. Only the engine that holds the history's lock comes here."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    return listener


def tcp(settings: ServerSettings) -> socket.socket:
    """Return a listener at the TCP address of the settings.

    Raises:
        Problem: it cannot be had, or it is reached from elsewhere and has no TLS.
    """
    host, _, port = settings.listen.rpartition(":")
    host = host.strip("[]")
    if not settings.tls_certificate and not _is_loopback(host):
        raise Problem(
            422, f"{settings.listen} without TLS would show tokens to the network", hint=f"Set {_TLS}."
        )
    _try_tls(settings)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as error:
        raise Problem(
            422, f"nobody can listen at {settings.listen}: {error}", hint=f"Set {_LISTEN}."
        ) from None
    return listener


_TLS = "server.tls_certificate and doors.tls_key"
_LISTEN = "server.listen to HOST:PORT"


def _try_tls(settings: ServerSettings) -> None:
    if not settings.tls_certificate:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except OSError as error:
        said = f"{settings.tls_certificate} cannot be used: {error.strerror or error}"
        raise Problem(422, said, hint=f"Set {_TLS} to files in PEM.") from None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def server(app: ASGIApp, settings: ServerSettings | None = None) -> uvicorn.Server:
    """Return a server of an application; with the TLS of `settings` where they are given."""
    tls = settings if settings and settings.tls_certificate else None
    config = uvicorn.Config(
        app,
        http=Http,
        ws="none",
        log_level="warning",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ssl_certfile=tls.tls_certificate if tls else None,
        ssl_keyfile=tls.tls_key if tls else None,
    )
    return _Uvicorn(config)


class Http(HttpToolsProtocol):
    """HTTP that answers what it cannot read as a problem, and takes neither time nor memory without end."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first request its time, where there is a place for one more connection."""
        super().connection_made(transport)
        self._beside = self._fresh = 0
        self._headless = self.loop.call_later(HEAD_SECONDS, transport.close)
        if len(self.connections) > most_connections():
            self._refuse("503 Service Unavailable", Problem(503, "too many connections are open"))

    def data_received(self, data: bytes) -> None:
        """Read on, unless a request has more beside its body than any honest one."""
        self._fresh = len(data)
        super().data_received(data)
        self._beside += self._fresh
        if self._beside > HEAD_BYTES and not self.transport.is_closing():
            problem = Problem(431, f"a request has at most {HEAD_BYTES} bytes beside its body")
            self._refuse("431 Request Header Fields Too Large", problem)

    def on_message_begin(self) -> None:
        """Give each further request its time too."""
        self._beside = 0
        self._headless.cancel()
        self._headless = self.loop.call_later(HEAD_SECONDS, self.transport.close)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Take note that a request is there."""
        self._headless.cancel()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take no account of the body, which the guard bounds."""
        self._fresh -= len(body)
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the clock."""
        self._headless.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse("400 Bad Request", Problem(400, "this is no HTTP request that can be read"))

    def _refuse(self, status: str, problem: Problem) -> None:
        body = bytes(answer(problem).body)
        head = (
            f"HTTP/1.1 {status}\r\ncontent-type: {PROBLEM}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def most_connections() -> int:
    """Return how many connections a door holds: a third of the files that the process may have open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again before the engine has closed."""
        yield
