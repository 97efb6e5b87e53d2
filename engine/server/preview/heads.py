"""The heads that a preview writes: to the server in the sandbox, and to the browser. Pure."""

from __future__ import annotations

import re

from engine.sandbox.network.http_head import Headers
from engine.server.preview.gate import COOKIE, NotPassed, RequestHead

_HOP = frozenset({
    b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"proxy-connection", b"proxy-authorization",
    b"proxy-authenticate", b"expect", b"alt-svc", b"strict-transport-security", b"clear-site-data",
    b"referrer-policy", b"x-dns-prefetch-control", b"cross-origin-resource-policy",
    b"access-control-allow-origin", b"access-control-allow-credentials", b"service-worker-allowed",
})  # fmt: skip
"""Headers of one connection, and those that a preview sets itself or that reach beyond its host."""
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)
_DOMAIN = re.compile(rb";[ \t]*domain[ \t]*=[^;]*", re.IGNORECASE)


def request_head(head: RequestHead) -> bytes:
    """Return the head for the server in the sandbox: without the secret, for one request."""
    named = {token.strip().lower() for value in head.all(b"connection") for token in value.split(b",")}
    kept = [(name, value) for name, value in head.headers if name.lower() not in _HOP | named | {b"cookie"}]
    cookies = [each for value in head.all(b"cookie") for each in value.split(b";") if not _is_ours(each)]
    if cookies:
        kept.append((b"Cookie", b";".join(cookies).strip()))
    if head.upgrades:
        kept += [(b"Connection", b"Upgrade"), (b"Upgrade", b"websocket")]
    else:
        kept.append((b"Connection", b"close"))
    return _written(b"%b %b HTTP/1.1" % (head.method, head.target), kept)


def _is_ours(cookie: bytes) -> bool:
    return cookie.split(b"=", 1)[0].strip() == COOKIE


def response_head(head: bytes, host: bytes) -> tuple[int, bytes]:
    """Return the status of a checked response, and the head for the browser."""
    start, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    status = int(start.split(b" ")[1])
    pairs = (line.split(b":", 1) for line in lines)
    fields = [(name, value.strip(b" \t")) for name, value in pairs if name.lower() not in _HOP]
    kept = [(name, _own_cookie(value) if name.lower() == b"set-cookie" else value) for name, value in fields]
    kept = [(name, value) for name, value in kept if not (name.lower() == b"set-cookie" and _is_ours(value))]
    more = [(b"Connection", b"Upgrade"), (b"Upgrade", b"websocket")] if status == 101 else confining(host)
    return status, _written(start, [*kept, *more])


def announced_length(head: bytes) -> int | None:
    """Return how many bytes of a body a checked head announces; None where it does not say."""
    found = _LENGTH.search(head)
    return int(found[1]) if found else None


def _own_cookie(value: bytes) -> bytes:
    return _DOMAIN.sub(b"", value)


def confining(host: bytes) -> Headers:
    """Return headers by which a page loads and sends nothing beyond its own host, and is framed nowhere."""
    own = b"'self' ws://" + host
    policy = (
        b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src " + own
        + b"; form-action 'self'; frame-ancestors 'none'; base-uri 'self'"
    )  # fmt: skip
    return [
        (b"Content-Security-Policy", policy),
        (b"Referrer-Policy", b"no-referrer"),
        (b"Cross-Origin-Resource-Policy", b"same-origin"),
        (b"Cross-Origin-Opener-Policy", b"same-origin"),
        (b"X-DNS-Prefetch-Control", b"off"),
        (b"Connection", b"close"),
    ]


def entered(secret: bytes) -> bytes:
    """Return the response to whoever opened the link: the secret, and the way to the first page."""
    cookie = COOKIE + b"=" + secret + b"; Path=/; HttpOnly; SameSite=Strict"
    fields = [
        (b"Location", b"/"),
        (b"Set-Cookie", cookie),
        (b"Cache-Control", b"no-store"),
        (b"Referrer-Policy", b"no-referrer"),
        (b"Content-Length", b"0"),
        (b"Connection", b"close"),
    ]
    return _written(b"HTTP/1.1 303 See Other", fields)


def refused(refusal: NotPassed) -> bytes:
    """Return the response to a request that is not passed on."""
    body = f"pratique: {refusal.why}\n".encode()
    fields = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"Content-Length", b"%d" % len(body)),
              (b"X-Content-Type-Options", b"nosniff"), (b"Cache-Control", b"no-store"),
              (b"Referrer-Policy", b"no-referrer"), (b"Connection", b"close")]  # fmt: skip
    return _written(b"HTTP/1.1 %d Refused" % refusal.status, fields) + body


def _written(start: bytes, fields: Headers) -> bytes:
    return b"\r\n".join([start, *(name + b": " + value for name, value in fields), b"", b""])
