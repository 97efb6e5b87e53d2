"""The proxy lets out what was granted, records every attempt, and lets nothing else out."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.hosts import matches
from engine.sandbox.api.egress_policy import EgressDenied, EgressPolicy
from engine.sandbox.network.proxy import Proxy
from engine.sandbox.network.sni import server_name
from tests.engine.sandbox.outside import HOST, greeting_for, guest_of, serving

PUBLIC = EgressPolicy(domains=(HOST, "*.example.net"))


# --- names, ports, addresses


@pytest.mark.parametrize(
    ("covered", "domain", "host"),
    [
        (True, "example.org", "example.org"),
        (False, "example.org", "www.example.org"),
        (False, "example.org", "badexample.org"),
        (False, "example.org", "example.org."),
        (True, "*.example.org", "a.b.example.org"),
        (False, "*.example.org", "example.org"),
        (False, "*.example.org", "badexample.org"),
    ],
)
def test_a_granted_name_covers_itself_alone(covered: bool, domain: str, host: str) -> None:
    """A name is granted as it is written, and those below it only with `*.`."""
    assert covered is matches(domain, host)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.1.1", "255.255.255.255", "192.0.0.192", "198.18.0.1", "240.0.0.1",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "::127.0.0.1",
        "2001:0:0:0:0:0:f5ff:fffe",
    ],
)  # fmt: skip
def test_no_address_of_the_inside_is_connected_to(address: str) -> None:
    """Private, link-local, loopback, metadata, shared, reserved and translated addresses are refused."""
    with pytest.raises(EgressDenied, match="not a public address"):
        PUBLIC.check_address(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_a_public_address_may_be_connected_to(address: str) -> None:
    """What is public passes."""
    PUBLIC.check_address(address)


@pytest.mark.parametrize(("host", "port"), [(HOST, 22), ("example.net", 443), ("127.0.0.1", 443), ("", 80)])
def test_only_granted_names_and_ports_are_asked_for(host: str, port: int) -> None:
    """Other names, addresses and ports are refused before anything is looked up."""
    with pytest.raises(EgressDenied):
        PUBLIC.check(host, port)


# --- TLS greetings


def test_the_name_is_read_from_the_greeting() -> None:
    """OpenSSL reads the name, in lower case, and says where bytes are missing."""
    said = greeting_for("API.Example.org")
    assert (HOST, None) == (server_name(said), server_name(said[:60]))


@pytest.mark.parametrize(
    "said", [greeting_for(None), b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello"]
)
def test_a_greeting_without_a_name_is_refused(said: bytes) -> None:
    """No name, or no TLS: the tunnel is not opened."""
    with pytest.raises(EgressDenied):
        server_name(said)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading_of_greetings(said: bytes) -> None:
    """Whatever comes, it is refused or more is wanted."""
    with contextlib.suppress(EgressDenied):
        assert server_name(said) is None


# --- the proxy


async def test_a_granted_host_is_reached_and_recorded() -> None:
    """The request arrives without the headers between neighbours, and the attempt is recorded."""
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        answer = await guest.get(f"http://{HOST}:{server.port}/a?b=1", "Proxy-Authorization: x", "X-Own: 1")
        assert answer.startswith(b"HTTP/1.1 200")
        assert server.heard[0].startswith(b"GET /a?b=1 HTTP/1.1\r\n")
        assert (False, True) == (b"roxy-" in server.heard[0], b"1" in server.heard[0])
        expected = {"host": HOST, "port": server.port, "method": "GET", "allowed": True, "why": "granted"}
        assert [expected | {"secrets": ()}] == guest.attempts


async def test_a_body_goes_out_and_comes_back() -> None:
    """A million bytes arrive, and come back whole; they are counted."""
    body = bytes(range(256)) * 4096
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        url = f"http://{HOST}:{server.port}/"
        assert (await guest.get(url, method="POST", body=body)).endswith(body)
        assert guest.proxy.budget.used > 2 * len(body)


@pytest.mark.parametrize(
    ("why", "request_"),
    [
        ("not granted", b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        ("not granted", b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        ("not granted", b"GET http://[::1]/ HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
        ("not granted", b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        ("not one of", b"CONNECT api.example.org:22 HTTP/1.1\r\nHost: api.example.org\r\n\r\n"),
        ("Host header", b"GET http://api.example.org:PORT/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    ],
)
async def test_what_was_not_granted_is_refused_and_recorded(why: str, request_: bytes) -> None:
    """Nothing goes out, the guest is told why, and the attempt is in the record."""
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        answer = await guest.say(request_.replace(b"PORT", b"%d" % server.port))
        assert (True, True) == (answer.startswith(b"HTTP/1.1 403"), why.encode() in answer)
        assert ([], [False]) == (server.heard, guest.verdicts)


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
        b"GET https://api.example.org/ HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
        b"GET http://user@api.example.org/ HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
        b"CONNECT api.example.org HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
        b"GET http://api.example.org/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"\x16\x03\x01 nonsense\r\n\r\n",
        b"GET " + b"x" * 100_000,
    ],
)
async def test_what_is_no_request_to_a_proxy_is_refused(request_: bytes) -> None:
    """Nothing goes out."""
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        answer = await guest.say(request_)
        assert answer.startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
        assert [] == server.heard


async def test_a_name_that_leads_inside_is_refused() -> None:
    """A granted name is no way to the loopback: what it leads to is looked at."""
    async with serving() as server, guest_of(partial(Proxy, server.terms(addresses=()))) as guest:
        answer = await guest.get(f"http://{HOST}:{server.port}/")
        assert b"not a public address" in answer
        assert ([], [False]) == (server.heard, guest.verdicts)


async def test_tls_must_ask_for_the_name_of_the_tunnel() -> None:
    """A tunnel to a granted host carries no TLS for another: nothing of it goes out, and it is recorded."""
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        head = f"CONNECT {HOST}:{server.port} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        for said in (greeting_for("evil.example"), greeting_for(None), b"SSH-2.0-x\r\n" * 9):
            await guest.say(head + said)
        assert [True, False] * 3 == guest.verdicts
        assert [] == server.heard


@pytest.mark.parametrize("bound", [{"requests": 2}, {"megabytes": 1}])
async def test_what_is_used_up_is_over(bound: dict[str, int]) -> None:
    """After the last request, or the last byte, nothing goes out any more, and that is recorded once."""
    large = serving(answer=bytes(600_000))
    async with large as server, guest_of(partial(Proxy, server.terms(**bound))) as guest:
        for _ in range(5):
            await guest.get(f"http://{HOST}:{server.port}/")
        assert 2 == len(server.heard)
        assert 1 == guest.verdicts.count(False)
        assert "more than" in guest.attempts[-1]["why"]


async def test_nothing_outlives_the_proxy() -> None:
    """A connection that is open when the run ends is closed."""
    async with serving() as server, guest_of(partial(Proxy, server.terms())) as guest:
        head = f"CONNECT {HOST}:{server.port} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        pending = asyncio.create_task(guest.say(head))
        async with asyncio.timeout(60):
            while not guest.attempts:
                await asyncio.sleep(0.01)
        await guest.proxy.close()
        assert not (await pending).startswith(b"HTTP/1.1 403")
