"""Access from a browser: a host name and a one-time token that only who reads the address knows.

Cookies ignore ports, so none is set: the secret of a browser lies in the storage of its tab, which belongs to
one origin (scheme, host and port), and travels in headers that only a page of that origin can send. The host
name is new for each start, so that no page, cache or service worker of an earlier server has its origin.
"""

from __future__ import annotations

import hmac
import secrets
import time

from multidict import CIMultiDictProxy

TOKEN_SECONDS = 600.0
"""How long the printed address can be used, once."""
TOKEN = "Pratique-Token"  # noqa: S105  the name of a header
"""The header that carries the token of the address, to be exchanged for the secret of the browser."""
PROTOCOL = "pratique"
"""The WebSocket sub-protocol of the console."""
SECRET = "secret."  # noqa: S105  a prefix
"""Begins the sub-protocol that is offered to carry the secret; it is never selected."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "font-src 'self' data:; img-src 'self' data:; connect-src 'self' {websocket}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; worker-src 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class BrowserAccess:
    """Holds the host name and the one-time token of the address, and the secret of the browser using it."""

    def __init__(self, port: int, seconds: float = TOKEN_SECONDS) -> None:
        self.authority = f"{secrets.token_hex(16)}.localhost:{port}"
        self.token = secrets.token_urlsafe(32)
        self._token_until = time.monotonic() + seconds
        self._secret = ""

    @property
    def origin(self) -> str:
        """The origin of the console's page."""
        return f"http://{self.authority}"

    @property
    def address(self) -> str:
        """The address to open, once. Browsers send nobody what follows the `#`."""
        return f"{self.origin}/#{self.token}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every response."""
        return {name: value.format(websocket=f"ws://{self.authority}") for name, value in HEADERS.items()}

    def is_same_origin(self, headers: CIMultiDictProxy[str], *, needs_origin: bool) -> bool:
        """Return whether a request names this server as its host, and as its origin if it has one."""
        origins = headers.getall("Origin", [])
        if headers.getall("Host", []) != [self.authority]:
            return False
        return origins == [self.origin] or (not origins and not needs_origin)

    def exchange_token(self, token: str) -> str | None:
        """Return the secret of a browser for a valid token, once and in time; else None."""
        if not self.token or time.monotonic() > self._token_until:
            return None
        if not _same(token, self.token):
            return None
        self.token, self._secret = "", secrets.token_urlsafe(32)
        return self._secret

    def opens_console(self, headers: CIMultiDictProxy[str]) -> bool:
        """Return whether a WebSocket request offers the secret among its sub-protocols."""
        offered = ",".join(headers.getall("Sec-WebSocket-Protocol", [])).split(",")
        secret = next((each.strip() for each in offered if each.strip().startswith(SECRET)), "")
        return bool(self._secret) and _same(secret, f"{SECRET}{self._secret}")


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="surrogateescape"), expected.encode())
