"""Access from a browser: a one-time address, this machine only, our own page only.

Other pages in the same browser can send requests to this machine, but they cannot set `Host` or `Origin`,
do not know the token, and their requests do not carry a `SameSite` cookie.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping

TOKEN_SECONDS = 600.0
"""How long the printed address can be used, once."""
COOKIE = "pratique"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "font-src 'self' data:; img-src 'self' data:; connect-src 'self' {websocket}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class BrowserAccess:
    """Holds the one-time token of the address and the session secret of the browser that used it."""

    def __init__(self, authority: str, seconds: float = TOKEN_SECONDS) -> None:
        self._authority = authority
        self.token = secrets.token_urlsafe(32)
        self._token_until = time.monotonic() + seconds
        self._secret = ""

    @property
    def address(self) -> str:
        """The address to open, once."""
        return f"http://{self._authority}/?token={self.token}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every response."""
        return {name: value.format(websocket=f"ws://{self._authority}") for name, value in HEADERS.items()}

    def is_same_origin(self, headers: Mapping[str, str], *, needs_origin: bool) -> bool:
        """Return whether a request names this server as its host, and as its origin if it has one."""
        origin = headers.get("Origin")
        if headers.get("Host") != self._authority:
            return False
        return origin == f"http://{self._authority}" if origin is not None else not needs_origin

    def exchange_token(self, token: str) -> str | None:
        """Return a session secret for a valid token, once and in time; else None."""
        if not self.token or time.monotonic() > self._token_until:
            return None
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token, self._secret = "", secrets.token_urlsafe(32)
        return self._secret

    def is_session(self, secret: str) -> bool:
        """Return whether this is the session secret."""
        return bool(self._secret) and hmac.compare_digest(secret.encode(), self._secret.encode())
