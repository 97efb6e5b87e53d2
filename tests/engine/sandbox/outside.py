"""Servers of the tests' own, and a guest that speaks to the proxy without a sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import h11

from engine.sandbox.api.egress_policy import EgressPolicy
from engine.sandbox.api.run_events import NetworkAttempt
from engine.sandbox.network.proxy import Proxy
from engine.settings import NetworkSettings

HOST = "api.example.org"


@dataclass
class Server:
    """A server on the loopback that answers each request with what it heard."""

    port: int
    heard: list[bytes] = field(default_factory=list)

    def settings(self, **more: Any) -> NetworkSettings:
        """Return settings under which the granted name leads here."""
        here = {"ports": (self.port,), "addresses": ("127.0.0.1",), "names": {HOST: "127.0.0.1"}}
        return NetworkSettings.model_validate(here | more)

    def terms(self, *domains: str, **more: Any) -> EgressPolicy:
        """Return the terms of a grant of names that lead here."""
        return EgressPolicy.of(domains or (HOST,), self.settings(**more))


Script = Callable[[bytes], Iterable[bytes]]
"""What a server writes in answer to a request, piece by piece."""


def _plain(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@contextlib.asynccontextmanager
async def serving(
    tls: ssl.SSLContext | None = None, answer: bytes | None = None, script: Script | None = None
) -> AsyncIterator[Server]:
    """Serve requests by repeating head and body in the answer's body, or with `answer`, or as scripted."""
    server = Server(0)
    pieces = script or (lambda said: [_plain(said if answer is None else answer)])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, h11.RemoteProtocolError):
            said = await _one_request(reader)
            server.heard.append(said)
            for piece in pieces(said):
                writer.write(piece)
                await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield server


async def _one_request(reader: asyncio.StreamReader) -> bytes:
    http, said = h11.Connection(h11.SERVER), b""
    while not isinstance(event := http.next_event(), h11.EndOfMessage):
        if event is h11.NEED_DATA:
            data = await reader.read(65536)
            said += data
            http.receive_data(data)
    return said


@dataclass
class Guest:
    """What speaks to a proxy as a guest would, and the attempts that the proxy recorded."""

    proxy: Proxy
    attempts: list[dict[str, Any]]

    async def say(self, request: bytes) -> bytes:
        """Send bytes on a new connection, and return all that comes back."""
        ours, theirs = socket.socketpair()
        self.proxy.serve(theirs)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        writer.write(request)
        answer = b""
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(60):
                answer = await reader.read(-1)
        writer.close()
        return answer

    async def say_over_tls(self, request: bytes, port: int, host: str = HOST) -> bytes:
        """Send bytes inside a tunnel, over TLS with the run's own authority, and return what comes back."""
        ours, theirs = socket.socketpair()
        self.proxy.serve(theirs)
        assert self.proxy.ca is not None
        trusting = ssl.create_default_context(cadata=self.proxy.ca.pem)
        return await asyncio.to_thread(_over_tls, ours, trusting, request, f"{host}:{port}")

    async def get(self, url: str, *headers: str, method: str = "GET", body: bytes = b"") -> bytes:
        """Ask the proxy for a URL."""
        host = url.partition("://")[2].partition("/")[0]
        lines = [f"{method} {url} HTTP/1.1", f"Host: {host}", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return await self.say("\r\n".join([*lines, "", ""]).encode() + body)

    @property
    def verdicts(self) -> list[bool]:
        """Whether each attempt was allowed."""
        return [attempt["allowed"] for attempt in self.attempts]


@contextlib.asynccontextmanager
async def guest_of(make: Callable[..., Proxy]) -> AsyncIterator[Guest]:
    """Give a guest a proxy, and end it afterwards."""
    attempts: list[dict[str, Any]] = []

    async def record(attempt: NetworkAttempt) -> None:
        attempts.append(attempt.model_dump())

    proxy = make(record)
    try:
        yield Guest(proxy, attempts)
    finally:
        await proxy.close()


def greeting_for(name: str | None) -> bytes:
    """Return what a TLS client says first."""
    context = ssl.create_default_context()
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def _over_tls(end: socket.socket, trusting: ssl.SSLContext, request: bytes, authority: str) -> bytes:
    end.settimeout(60)
    end.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n") and (byte := end.recv(1)):
        head += byte
    if b" 200 " not in head:
        end.close()
        return head
    answer = b""
    with trusting.wrap_socket(end, server_hostname=authority.partition(":")[0]) as tls:
        tls.sendall(request)
        with contextlib.suppress(OSError):
            while piece := tls.recv(65536):
                answer += piece
    return answer
