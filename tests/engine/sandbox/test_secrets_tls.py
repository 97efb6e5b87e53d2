"""What a guest, or the host itself, does to get a secret out of TLS that the proxy opened."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.api.network_spec import Secret
from engine.sandbox.network.ephemeral_ca import EphemeralCA
from engine.sandbox.network.proxy import Proxy
from engine.sandbox.network.redaction import Redactor
from engine.sandbox.network.secret_injection import SecretInjector
from tests.engine.sandbox.outside import HOST, Guest, Script, Server, guest_of, serving

VALUE = 'v4lue/of+the="secret"'
OTHER = "other.example.org"


@asynccontextmanager
async def tls(
    folder: Path, monkeypatch: pytest.MonkeyPatch, script: Script | None = None, value: str = VALUE
) -> AsyncIterator[tuple[Server, Guest]]:
    """Serve over TLS, and give a guest a secret for that host."""
    theirs = EphemeralCA()
    (folder / "ca.pem").write_text(theirs.pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
    secrets = SecretInjector([Secret("API_TOKEN", HOST, value)])
    listening = serving(theirs.context(HOST), script=script)
    async with listening as server, guest_of(partial(Proxy, server.terms(), secrets=secrets)) as guest:
        yield server, guest


def mark_of(guest: Guest) -> bytes:
    """Return what the guest has in place of the secret."""
    return guest.proxy.secrets.environment["API_TOKEN"].encode()


async def ask(server: Server, guest: Guest, request: bytes) -> bytes:
    """Send a request inside TLS; `MARK` stands for the placeholder, `PORT` for the port."""
    filled = request.replace(b"MARK", mark_of(guest)).replace(b"PORT", b"%d" % server.port)
    return await guest.say_over_tls(filled, server.port)


GET = b"GET /a?k=MARK HTTP/1.1\r\nHost: api.example.org:PORT\r\nAuthorization: Bearer MARK\r\n\r\n"


async def test_a_secret_is_sent_inside_tls_and_masked_in_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole body arrives; the host hears the secret, quoted in a URL, and the guest does not."""
    async with tls(tmp_path, monkeypatch) as (server, guest):
        answer = await ask(server, guest, GET)
        assert f"Bearer {VALUE}".encode() in server.heard[0]
        assert f"GET /a?k={quote(VALUE, safe='')} ".encode() in server.heard[0]
        assert (True, 2) == (answer.startswith(b"HTTP/1.1 200"), answer.count(b"*" * len(VALUE)))
        assert VALUE.encode() not in answer
        assert ["CONNECT", "GET"] == [attempt["method"] for attempt in guest.attempts]


STEALING = [
    b"GET https://other.test/steal HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET http://api.example.org:PORT/ HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET //other.test/steal HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET /\\other.test/steal HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET /a#@other.test/ HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET other.test:443 HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET @other.test/ HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"CONNECT other.test:443 HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET / HTTP/1.1\r\nHost: other.test\r\n",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.0\r\n",
    b"GET / HTTP/1.0\r\nHost: other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\r\nHost: other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: other.test\r\nHost: api.example.org:PORT\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\r\nHost: api.example.org:PORT\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\r\n Host: other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\r\nHost : other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT, other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT@other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org.\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\nHost: other.test\r\n",
    b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\rHost: other.test\r\n",
    b"GET / HTTP/1.1 \r\nHost: api.example.org:PORT\r\n",
    b"GET  / HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
    b"GET /\tx HTTP/1.1\r\nHost: api.example.org:PORT\r\n",
]


@pytest.mark.parametrize("head", STEALING)
async def test_a_request_for_another_authority_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    """Inside TLS only a path of the granted host is asked for, under exactly its name."""
    async with tls(tmp_path, monkeypatch) as (server, guest):
        answer = await ask(server, guest, head + b"Authorization: Bearer MARK\r\n\r\n")
        assert [] == server.heard
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 403"))


@pytest.mark.parametrize(
    "name",
    [
        b"Forwarded", b"X-Forwarded-Host", b"X-Forwarded-Server", b"X-Host", b"X-Original-URL",
        b"X-Rewrite-URL", b"X-Original-Host", b"X-HTTP-Host-Override", b"X_Forwarded_Host", b"Content_Length",
        b"Transfer_Encoding", b"Proxy-Authorization", b"Range", b"Accept-Encoding", b"Upgrade", b"Expect",
    ],
)  # fmt: skip
async def test_a_header_that_reroutes_frames_or_codes_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: bytes
) -> None:
    """Servers that obey such headers would treat the request as another one than was checked."""
    request = b"GET / HTTP/1.1\r\nHost: api.example.org:PORT\r\n%b: other.test\r\n\r\n" % name
    async with tls(tmp_path, monkeypatch) as (server, guest):
        await ask(server, guest, request)
        assert b"other.test" not in b"".join(server.heard)


BODIES = [
    b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"Content-Length: 5, 5\r\n\r\nhello",
    b"Content-Length: +5\r\n\r\nhello",
    b"Content-Length: 0x5\r\n\r\nhello",
    b"Content-Length: 5\r\nContent_Length: 6\r\n\r\nhello",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding\r\n : chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    b"X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Content-Length: 5\r\nX: \x00\r\n\r\nhello",
]


@pytest.mark.parametrize("rest", BODIES)
async def test_a_request_whose_end_can_be_read_in_two_ways_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: bytes
) -> None:
    """Exactly one of length or chunks, written as RFC 9112 has it."""
    async with tls(tmp_path, monkeypatch) as (server, guest):
        head = b"POST / HTTP/1.1\r\nHost: api.example.org:PORT\r\nAuthorization: Bearer MARK\r\n"
        answer = await ask(server, guest, head + rest)
        assert [] == server.heard
        assert answer.startswith(b"HTTP/1.1 400")


async def test_a_body_in_chunks_is_framed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Extensions of chunks, trailers and a request behind the first do not reach the host."""
    request = (
        b"POST / HTTP/1.1\r\nHost: api.example.org:PORT\r\nTransfer-Encoding: chunked\r\n\r\n"
        b'3;x="MARK"\r\nabc\r\n0;y\r\nX-Trailer: MARK\r\n\r\n'
        b"GET /second HTTP/1.1\r\nHost: api.example.org:PORT\r\n\r\n"
    )
    async with tls(tmp_path, monkeypatch) as (server, guest):
        await ask(server, guest, request)
        assert 1 == len(server.heard)
        assert server.heard[0].endswith(b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        assert 1 == server.heard[0].lower().count(b"transfer-encoding")


def in_head(line: bytes) -> Script:
    """Answer with a head that has a line with the secret, and a body."""
    return lambda said: [b"HTTP/1.1 " + line + b"\r\nContent-Length: 2\r\n\r\nok"]


SECRET = VALUE.encode()
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
TOKEN = base64.urlsafe_b64encode(SECRET).rstrip(b"=")
LEAKS = [
    in_head(b"200 " + SECRET),
    in_head(b"200 " + TOKEN),
    in_head(b"200 OK\r\nX-Any: " + SECRET),
    in_head(b"200 OK\r\nSet-Cookie: a=" + quote(VALUE).encode()),
    in_head(b"200 OK\r\nLocation: https://x/?" + TOKEN),
    in_head(b"302 OK\r\n" + TOKEN + b": x"),
    in_head(b"200 OK\r\nX-Bad\x00: " + SECRET),
    in_head(b"200 OK\r\n" + SECRET),
    in_head(b"200 OK\r\n " + SECRET),
    in_head(b"200 OK\r\nTransfer-Encoding: " + SECRET),
    in_head(b"200 OK\r\nContent-Encoding: " + SECRET),
    in_head(b"700 " + SECRET),
    in_head(b"200 OK\r\nContent-Length: " + SECRET),
    lambda said: [SECRET + b"\r\n\r\n"],
    lambda said: [CHUNKED + b"2;" + SECRET + b"\r\nok\r\n0\r\n\r\n"],
    lambda said: [CHUNKED + b"0\r\nX-T: " + SECRET + b"\r\n\r\n"],
    lambda said: [CHUNKED + SECRET + b"\r\n"],
    lambda said: [b"HTTP/1.1 103 " + SECRET + b"\r\nX: " + SECRET + b"\r\n\r\n", *in_head(b"200")(said)],
    lambda said: [b"HTTP/1.1 101 " + SECRET + b"\r\nUpgrade: x\r\n\r\n" + SECRET],
    lambda said: [b"HTTP/1.0 200 OK\r\n\r\n", SECRET[:9], SECRET[9:]],
    lambda said: [b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + SECRET],
]  # fmt: skip


@pytest.mark.parametrize("script", LEAKS, ids=range(len(LEAKS)))
async def test_no_part_of_an_answer_repeats_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    """Neither status line, header names, values, trailers, chunk lines, bodies nor what the proxy says."""
    async with tls(tmp_path, monkeypatch, script) as (server, guest):
        answer = (await ask(server, guest, GET)).lower()
        assert 1 == len(server.heard)
        assert not any(one.lower() in answer for one in (SECRET, TOKEN, quote(VALUE).encode()))
        assert VALUE not in repr(guest.attempts)


DOUBLE = [
    b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    b"Transfer-Encoding: gzip\r\n\r\nok",
    b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
    b"Content-Encoding: identity, br\r\nContent-Length: 2\r\n\r\nok",
]


@pytest.mark.parametrize("rest", DOUBLE)
async def test_an_ambiguous_or_coded_answer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: bytes
) -> None:
    """The guest gets no byte of it, and the refusal is recorded."""
    async with tls(tmp_path, monkeypatch, lambda said: [b"HTTP/1.1 200 OK\r\n" + rest]) as (server, guest):
        answer = await ask(server, guest, GET)
        assert answer.startswith(b"HTTP/1.1 403")
        assert False is guest.verdicts[-1]


async def test_a_secret_that_no_header_holds_is_not_repeated_by_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored secret with a line break cannot add headers, and no error text shows it."""
    value = "first-line\r\nX-Second: line"
    async with tls(tmp_path, monkeypatch, value=value) as (server, guest):
        answer = await ask(server, guest, GET)
        assert [] == server.heard
        assert not any(part in answer for part in (b"first-line", b"Second"))


async def test_a_secret_is_not_sent_unencrypted() -> None:
    """Over http nothing is sent, unless the setting names the host."""
    secrets = SecretInjector([Secret("API_TOKEN", HOST, VALUE)])
    basic = base64.b64encode(b"me:" + secrets.environment["API_TOKEN"].encode()).decode()
    async with serving() as server, guest_of(partial(Proxy, server.terms(), secrets=secrets)) as guest:
        url, mark = f"http://{HOST}:{server.port}/", mark_of(guest).decode()
        for target, header in ((url + mark, "A: b"), (url, f"A: {mark}"), (url, f"A: Basic {basic}")):
            assert b"over https only" in await guest.get(target, header)
        assert [] == server.heard
        assert (await guest.get(url, "A: b")).startswith(b"HTTP/1.1 200")


# --- no oracle


def sizes(value: bytes, said: bytes, cut: int) -> list[int]:
    """Return how much a redactor lets out at each step."""
    redactor = Redactor([value])
    return [len(redactor.redact(said[at : at + cut])) for at in range(0, len(said), cut)]


@given(st.binary(min_size=1, max_size=400), st.integers(1, 50), st.integers(0, 21))
def test_what_is_held_back_does_not_depend_on_what_is_said(noise: bytes, cut: int, known: int) -> None:
    """A guess that is right so far is let out at the same moments as one that is wrong."""
    guess = (noise + SECRET[:known] + noise)[: len(noise)]
    assert sizes(SECRET, noise, cut) == sizes(SECRET, guess, cut)


async def test_chunks_do_not_tell_whether_a_guess_was_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that echoes a parameter is no oracle: the framing is the same for every prefix of a length."""

    def echo(said: bytes) -> list[bytes]:
        word = said.partition(b"?")[2].partition(b" ")[0]
        chunks = (b"%x\r\n%b\r\n" % (len(part), part) for part in (b"x" * 500 + word, b"y" * 500))
        return [CHUNKED, *chunks, b"0\r\n\r\n"]

    async with tls(tmp_path, monkeypatch, echo, value="abcdefghijklmnop") as (server, guest):
        shapes = set()
        for guess in (b"abcdefghij", b"abcdefghiX", b"Xbcdefghij", b"ZZZZZZZZZZ"):
            head = b"GET /?" + guess + b" HTTP/1.1\r\nHost: api.example.org:PORT\r\n\r\n"
            answer = await ask(server, guest, head)
            shapes.add(answer.replace(guess, b"?" * 10))
        assert 1 == len(shapes)


ENCODINGS: list[Callable[[str], str]] = [
    lambda value: value,
    lambda value: value.upper(),
    lambda value: quote(value, safe=""),
    quote,
    lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    json.dumps,
    lambda value: json.dumps(value).replace("/", "\\/"),
    lambda value: "".join(f"\\u{ord(each):04x}" for each in value),
    html.escape,
    lambda value: html.escape(value, quote=False),
    lambda value: value.encode().hex(),
    lambda value: value.encode().hex().upper(),
    *(
        lambda value, pad=pad, code=code: code(b"u" * pad + value.encode() + b":").decode()
        for pad in range(4)
        for code in (base64.b64encode, base64.urlsafe_b64encode)
    ),
    lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    lambda value: quote(base64.b64encode(value.encode())),
]


@pytest.mark.parametrize("value", [VALUE, "sk-live-0123456789abcdef", "pä??wörd~~>>", "AbCdEf+/=="])
@pytest.mark.parametrize("encode", ENCODINGS, ids=range(len(ENCODINGS)))
def test_a_secret_is_masked_in_the_usual_encodings(encode: Callable[[str], str], value: str) -> None:
    """However it is cut, no five characters in a row of an encoded secret are let out."""
    said = encode(value)
    windows = [said[at : at + 5].encode() for at in range(len(said.removesuffix("%3D%3D")) - 4)]
    for cut in (1, 7, 1000):
        redactor = Redactor([value.encode()])
        text = f"before {said} after".encode()
        passed = b"".join(redactor.redact(text[at : at + cut]) for at in range(0, len(text), cut))
        passed += redactor.rest()
        assert len(text) == len(passed)
        assert not any(window in passed for window in windows)
