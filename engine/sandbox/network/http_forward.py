"""Forwards one HTTP request of the guest to its host, and the response back."""

from __future__ import annotations

from urllib.parse import urlsplit

import h11

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.network.http_peer import Headers, Peer, end_to_end
from engine.sandbox.network.secret_injection import LeakDetector, Redactor, SecretInjector


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


def check_host(request: h11.Request, host: str, port: int) -> None:
    """Check that the Host header names the host of the request. Raises EgressDenied."""
    named = {value.decode("latin-1").lower() for name, value in request.headers if name == b"host"}
    if named - {host, f"{host}:{port}"}:
        raise EgressDenied(f"the Host header is not {host}")


async def exchange(
    guest: Peer, request: h11.Request, path: bytes, host: str, secrets: SecretInjector, outside: Peer
) -> None:
    """Forward a request and return its response. Raises EgressDenied, h11.ProtocolError, OSError."""
    target, headers, redactor = secrets.inject(host, path, end_to_end(request.headers))
    await outside.send(h11.Request(method=request.method, target=target, headers=headers))
    await _send_body(guest, outside, LeakDetector(secrets, host))
    await _send_response(outside, guest, redactor)


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
            headers: Headers = redactor.headers(end_to_end(event.headers))
            await guest.send(
                h11.Response(status_code=event.status_code, headers=headers, reason=event.reason)
            )
        elif isinstance(event, h11.Data):
            await guest.send(h11.Data(data=redactor.redact(bytes(event.data))))
        elif not isinstance(event, h11.InformationalResponse):
            await guest.send(h11.Data(data=redactor.rest()))
            await guest.send(h11.EndOfMessage())
            return
