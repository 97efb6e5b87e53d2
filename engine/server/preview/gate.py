"""Which requests a preview passes on: those of the browser that opened its link, from its own pages. Pure."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from engine.sandbox.network.http_head import Headers, is_origin_form

COOKIE = b"pratique-preview"
ENTRANCE = b"/.preview"
"""The path of the link; its query is a ticket, which is taken once."""
OWN_SITE = frozenset({b"same-origin", b"none"})
"""What a browser says of requests of the page itself, and of what a person typed or opened."""
LONGEST_BODY = 64 << 20
_COOKIES = re.compile(rb"[ \t]*;[ \t]*")


@dataclass(frozen=True)
class RequestHead:
    """A request, up to its body."""

    method: bytes
    target: bytes
    headers: Headers

    def all(self, name: bytes) -> list[bytes]:
        """Return the values of a header."""
        return [value for each, value in self.headers if each.lower() == name]

    def one(self, name: bytes) -> bytes | None:
        """Return the value of a header; None where there is none, or several."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None

    @property
    def upgrades(self) -> bool:
        """Whether it asks for a WebSocket."""
        asked = b"upgrade" in b",".join(self.all(b"connection")).lower()
        return asked and (self.one(b"upgrade") or b"").lower() == b"websocket"

    @property
    def length(self) -> int:
        """The bytes of its body."""
        return int(self.one(b"content-length") or b"0")


@dataclass(frozen=True)
class NotPassed:
    """Why a request is not passed on."""

    status: int
    why: str


def parsed(head: bytes) -> RequestHead:
    """Return the parts of a checked head."""
    start, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, target, _ = start.split(b" ")
    pairs = (line.split(b":", 1) for line in lines)
    return RequestHead(method, target, [(name, value.strip(b" \t")) for name, value in pairs])


@dataclass
class Gate:
    """Knows the host name of a preview, the secret of its browser, and the ticket of its link."""

    host: bytes
    """Name and port."""
    secret: bytes
    ticket: bytes = b""
    """Empty where it was taken."""

    def refusal(self, head: RequestHead) -> NotPassed | None:
        """Return why a request is not passed on; None where it is."""
        return self.misdirected(head) or self._foreign(head) or self._unframed(head)

    def misdirected(self, head: RequestHead) -> NotPassed | None:
        """Return why a request is not one for this preview: a name that leads here, or another form."""
        if head.one(b"host") != self.host:
            return NotPassed(421, "this is not the host of a preview")
        if not is_origin_form(head.target) or head.method in {b"CONNECT", b"TRACE"}:
            return NotPassed(400, "this is not a request for a page")
        return None

    def _foreign(self, head: RequestHead) -> NotPassed | None:
        if not self._has_secret(head):
            return NotPassed(403, "open the link of the preview first: pratique preview link")
        origin, site = head.all(b"origin"), head.all(b"sec-fetch-site")
        own = not origin or origin == [b"http://" + self.host]
        if not own or (head.upgrades and not origin) or (site and not set(site) <= OWN_SITE):
            return NotPassed(403, "another site asked for this")
        return None

    def _unframed(self, head: RequestHead) -> NotPassed | None:
        if head.all(b"transfer-encoding"):
            return NotPassed(411, "the request has to say how long its body is")
        if head.upgrades and head.length:
            return NotPassed(400, "a request for a WebSocket has no body")
        if head.length > LONGEST_BODY:
            return NotPassed(413, "the body is too long")
        return None

    def _has_secret(self, head: RequestHead) -> bool:
        pairs = [pair.split(b"=", 1) for value in head.all(b"cookie") for pair in _COOKIES.split(value)]
        known = [pair[1] for pair in pairs if len(pair) == 2 and pair[0] == COOKIE]
        return any(hmac.compare_digest(value, self.secret) for value in known)

    def takes_ticket(self, head: RequestHead) -> bool:
        """Return whether a request has the ticket of the link, which is taken by that."""
        path, _, query = head.target.partition(b"?")
        if path != ENTRANCE or head.method != b"GET" or not self.ticket:
            return False
        given = parse_qs(query.decode("latin-1")).get("t", [""])[0].encode("latin-1", "replace")
        if not hmac.compare_digest(given, self.ticket):
            return False
        self.ticket = b""
        return True


def path_of(target: bytes) -> str:
    """Return the path of a target without its query, for the log."""
    return urlsplit(target.decode("latin-1")).path[:500]
