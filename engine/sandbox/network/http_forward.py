"""Forwards one HTTP request of the guest to its host, and the response back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import h11

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.network.http_head import Headers, framing, is_origin_form
from engine.sandbox.network.http_peer import Peer, end_to_end
from engine.sandbox.network.redaction import Redactor
from engine.sandbox.network.secret_injection import LeakDetector, SecretInjector


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: an authority that was granted, and a path of it."""

    host: str
    port: int
    path: bytes
    encrypted: bool
    """Whether the proxy speaks TLS with the host, or secrets may go there without."""


def destination(request: h11.Request) -> tuple[str, int, bytes]:
    """Return host, port and path of a request in absolute form. Raises EgressDenied."""
    try:
        url = urlsplit(request.target.decode("ascii"))
        host, port = url.hostname or "", url.port or 80
    except ValueError:
        raise EgressDenied("the request target is not a URL") from None
    if url.scheme != "http" or not host or url.username is not None or url.password is not None:
        raise EgressDenied("the request target is not http://HOST: use CONNECT for https")
    path = url.path or "/"
    return host, port, f"{path}?{url.query}".encode() if url.query else path.encode()


def tunnel(request: h11.Request) -> tuple[str, int]:
    """Return host and port of a CONNECT. Raises EgressDenied."""
    host, colon, port = request.target.decode("ascii", "replace").lower().rpartition(":")
    if not colon or not port.isdecimal() or len(port) > 5 or not host:
        raise EgressDenied("CONNECT takes HOST:PORT")
    return host, int(port)


def authority(request: h11.Request, route: Route) -> bytes:
    """Return the Host of a request that can only be one for a path of its host. Raises EgressDenied."""
    named = [value.lower() for name, value in request.headers if name == b"host"]
    own = {route.host.encode(), f"{route.host}:{route.port}".encode()}
    if len(named) != 1 or named[0] not in own:
        raise EgressDenied(f"the Host header is not {route.host}")
    if not is_origin_form(route.path):
        raise EgressDenied("the request target is not a path of the host")
    return named[0]


def outgoing(request: h11.Request, route: Route, secrets: SecretInjector) -> h11.Request:
    """Return the request for the host, with its secrets and one Host header. Raises EgressDenied."""
    host = authority(request, route)
    headers = end_to_end(request.headers)
    target, filled = secrets.inject(route.host, route.path, headers, encrypted=route.encrypted)
    with _readable("the request cannot be sent to the host"):
        return h11.Request(
            method=request.method,
            target=target,
            headers=[(b"host", host), *filled, *framing(list(request.headers))],
        )


def carried(request: h11.Request, route: Route, secrets: SecretInjector) -> tuple[str, ...]:
    """Return the names of the secrets that a request takes to its host."""
    return secrets.carried(route.host, route.path, end_to_end(request.headers))


async def exchange(
    guest: Peer, request: h11.Request, route: Route, secrets: SecretInjector, outside: Peer
) -> None:
    """Forward a request and return its response. Raises EgressDenied, h11.ProtocolError, OSError."""
    await outside.send(outgoing(request, route, secrets))
    await _send_body(guest, outside, LeakDetector(secrets, route.host))
    with _readable("the response of the host is not HTTP/1.1"):
        await _send_response(outside, guest, secrets.redactor)


@contextlib.contextmanager
def _readable(why: str) -> Iterator[None]:
    """Report a protocol error without its text, which may repeat a secret. Raises EgressDenied."""
    try:
        yield
    except h11.ProtocolError:
        raise EgressDenied(why) from None


async def _send_body(guest: Peer, outside: Peer, detector: LeakDetector) -> None:
    while True:
        event = await guest.receive()
        if isinstance(event, h11.Data):
            detector.check(bytes(event.data))
            await outside.send(h11.Data(data=bytes(event.data)))
        else:
            await outside.send(h11.EndOfMessage())
            return


async def _send_response(outside: Peer, guest: Peer, redactor: Redactor) -> None:
    while True:
        event = await outside.receive()
        if isinstance(event, h11.Response):
            await guest.send(_response(event, redactor))
        elif isinstance(event, h11.Data):
            await _send_data(guest, redactor.redact(bytes(event.data)))
        elif not isinstance(event, h11.InformationalResponse):
            await _send_data(guest, redactor.rest())
            await guest.send(h11.EndOfMessage())
            return


async def _send_data(guest: Peer, data: bytes) -> None:
    if data:
        await guest.send(h11.Data(data=data))


def _response(response: h11.Response, redactor: Redactor) -> h11.Response:
    """Return a head for the guest: no reason phrase, no trailers, masked headers. Raises EgressDenied."""
    received = list(response.headers)
    if redactor.active and _coded(received):
        raise EgressDenied("the response is compressed, and may repeat a secret")
    headers: Headers = [*redactor.headers(end_to_end(received)), *framing(received)]
    return h11.Response(status_code=response.status_code, headers=headers)


def _coded(headers: Headers) -> bool:
    return any(
        name.lower() == b"content-encoding" and value.lower() not in {b"identity", b""}
        for name, value in headers
    )
