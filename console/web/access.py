"""Who may come in from a browser: whoever has the one-time address, from this machine, from our own page.

A browser runs pages of strangers beside ours. A foreign page can send requests to this machine, but it
cannot set `Host` or `Origin`, does not know the token, and is not sent along with a `SameSite` cookie.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping

TOKEN_SECONDS = 600.0
"""How long the address that was printed can be used, once."""
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
    """Knows the token of the address and the secret of the browser that used it."""

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
        """What every answer carries."""
        return {name: value.format(websocket=f"ws://{self._authority}") for name, value in HEADERS.items()}

    def comes_from_here(self, headers: Mapping[str, str], *, needs_origin: bool) -> bool:
        """Say whether a request names this server, and comes from its own page where it says from where."""
        origin = headers.get("Origin")
        if headers.get("Host") != self._authority:
            return False
        return origin == f"http://{self._authority}" if origin is not None else not needs_origin

    def let_in(self, token: str) -> str | None:
        """Return the secret for the browser that brings the token: the first one only, and in time."""
        if not self.token or time.monotonic() > self._token_until:
            return None
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token, self._secret = "", secrets.token_urlsafe(32)
        return self._secret

    def knows(self, secret: str) -> bool:
        """Say whether that is the browser that was let in."""
        return bool(self._secret) and hmac.compare_digest(secret.encode(), self._secret.encode())
