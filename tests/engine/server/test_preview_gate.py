"""What a preview passes on and what it writes: other hosts, other sites, and links that were found."""

from __future__ import annotations

import pytest

from engine.sandbox.network.http_head import Headers
from engine.server.preview.gate import COOKIE, ENTRANCE, Gate, RequestHead
from engine.server.preview.heads import refused, request_head, response_head
from engine.server.preview.listener import loopback_sockets

HOST = b"abc.localhost:4000"
NAMED = (b"Host", HOST)
COOKIES = (b"Cookie", b"theme=dark; " + COOKIE + b"=secret")
UPGRADE: Headers = [(b"Connection", b"Upgrade"), (b"Upgrade", b"websocket")]


def gate() -> Gate:
    """Return the gate of a preview whose link was not opened."""
    return Gate(HOST, b"secret", b"ticket")


def head(*headers: tuple[bytes, bytes], target: bytes = b"/", method: bytes = b"GET") -> RequestHead:
    """Return a request."""
    return RequestHead(method, target, list(headers))


def test_the_browser_of_the_link_is_let_in() -> None:
    """From its own pages, and where a person opens one."""
    assert gate().refusal(head(NAMED, COOKIES)) is None
    own = (b"Origin", b"http://" + HOST)
    assert gate().refusal(head(NAMED, COOKIES, own, (b"Sec-Fetch-Site", b"same-origin"))) is None
    assert gate().refusal(head(NAMED, COOKIES, own, *UPGRADE)) is None


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (421, head((b"Host", b"evil.example"), COOKIES)),
        (421, head((b"Host", b"localhost:4000"), COOKIES)),
        (421, head((b"Host", b"127.0.0.1:4000"), COOKIES)),
        (421, head((b"Host", b"abc.localhost:4000."), COOKIES)),
        (421, head(COOKIES)),
        (421, head(NAMED, NAMED, COOKIES)),
        (400, head(NAMED, COOKIES, target=b"http://evil.example/")),
        (400, head(NAMED, COOKIES, target=b"//evil.example/")),
        (400, head(NAMED, COOKIES, method=b"CONNECT")),
        (403, head(NAMED)),
        (403, head(NAMED, (b"Cookie", COOKIE + b"=other"))),
        (403, head(NAMED, (b"Cookie", COOKIE + b"="))),
        (403, head(NAMED, (b"Cookie", b"x" + COOKIE + b"=secret"))),
        (403, head(NAMED, COOKIES, (b"Origin", b"http://localhost:3000"))),
        (403, head(NAMED, COOKIES, (b"Origin", b"null"))),
        (403, head(NAMED, COOKIES, (b"Origin", b"http://" + HOST), (b"Origin", b"http://evil.example"))),
        (403, head(NAMED, COOKIES, (b"Sec-Fetch-Site", b"cross-site"))),
        (403, head(NAMED, COOKIES, (b"Sec-Fetch-Site", b"same-site"))),
        (403, head(NAMED, COOKIES, *UPGRADE)),
        (411, head(NAMED, COOKIES, (b"Transfer-Encoding", b"chunked"), method=b"POST")),
        (413, head(NAMED, COOKIES, (b"Content-Length", b"999999999999"), method=b"POST")),
    ],
)
def test_nobody_else_is_let_in(status: int, request_: RequestHead) -> None:
    """Rebound names, other pages of this machine, guesses, and bodies without a clear end."""
    refusal = gate().refusal(request_)
    assert refusal is not None
    assert status == refusal.status
    assert refused(refusal).startswith(b"HTTP/1.1 %d " % status)


def test_a_link_works_once() -> None:
    """Whoever finds it later, in a history or a log, finds nothing; a wrong one does not void it."""
    door = gate()
    assert not door.takes_ticket(head(NAMED, target=ENTRANCE + b"?t=wrong"))
    assert not door.takes_ticket(head(NAMED, target=ENTRANCE + b"?t=ticket", method=b"POST"))
    assert door.takes_ticket(head(NAMED, target=ENTRANCE + b"?t=ticket"))
    assert not door.takes_ticket(head(NAMED, target=ENTRANCE + b"?t=ticket"))
    assert not door.takes_ticket(head(NAMED, target=ENTRANCE + b"?t="))


def test_the_server_in_the_sandbox_never_sees_the_secret() -> None:
    """Its own cookies stay, and what is for one connection goes."""
    written = request_head(head(NAMED, COOKIES, (b"Connection", b"keep-alive, X-Hop"), (b"X-Hop", b"1")))
    assert (
        b"GET / HTTP/1.1\r\nHost: abc.localhost:4000\r\nCookie: theme=dark\r\nConnection: close\r\n\r\n"
        == written
    )


def test_a_page_is_kept_to_its_own_host() -> None:
    """It can set no cookie for others, none of the preview's, and loads and sends nothing elsewhere."""
    answer = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Domain=localhost; Path=/\r\nSet-Cookie: " + COOKIE
        + b"=stolen\r\nAccess-Control-Allow-Origin: *\r\nReferrer-Policy: origin\r\nContent-Length: 0\r\n\r\n"
    )  # fmt: skip
    status, written = response_head(answer, HOST)
    assert 200 == status
    assert b"\r\nSet-Cookie: a=1; Path=/\r\n" in written
    assert b"stolen" not in written
    assert b"Access-Control" not in written
    assert [b"no-referrer"] == [
        line[17:] for line in written.split(b"\r\n") if line.startswith(b"Referrer-Policy: ")
    ]
    assert b"Content-Security-Policy: default-src 'self'" in written
    assert b"connect-src 'self' ws://abc.localhost:4000;" in written


def test_nobody_can_listen_beside_a_preview() -> None:
    """A name in `localhost` leads to both loopbacks: both are taken, or there is only one."""
    sockets = loopback_sockets()
    try:
        assert 1 == len({one.getsockname()[1] for one in sockets})
        assert {"127.0.0.1", "::1"} >= {one.getsockname()[0] for one in sockets}
    finally:
        for one in sockets:
            one.close()
