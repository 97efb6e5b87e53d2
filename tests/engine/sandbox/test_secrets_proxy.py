"""Secrets are put in by the proxy, for their own host alone, and never come back."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.api.network_spec import Secret
from engine.sandbox.network.proxy import Proxy
from engine.sandbox.network.redaction import Redactor
from engine.sandbox.network.secret_injection import LeakDetector, SecretInjector
from tests.engine.sandbox.outside import HOST, Guest, Server, guest_of, serving

VALUE = "value-of-the-secret"
SECRET = Secret("API_TOKEN", HOST, VALUE)
OTHER = "other.example.org"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server that repeats what it heard."""
    async with serving() as server:
        yield server


@pytest.fixture
async def guest(server: Server) -> AsyncIterator[Guest]:
    """A guest with a secret for one of its two hosts."""
    names = {HOST: "127.0.0.1", OTHER: "127.0.0.1"}
    terms = server.terms(HOST, OTHER, names=names, plain_secrets=(HOST,))
    async with guest_of(partial(Proxy, terms, secrets=SecretInjector([SECRET]))) as guest:
        yield guest


def placeholder(guest: Guest) -> str:
    """Return what the guest has in its environment in place of the secret."""
    return guest.proxy.secrets.environment["API_TOKEN"]


def basic(text: str) -> str:
    """Return a header of Basic authentication."""
    return f"Authorization: Basic {base64.b64encode(text.encode()).decode()}"


async def test_the_secret_goes_to_its_host_and_does_not_come_back(guest: Guest, server: Server) -> None:
    """The host hears the secret; its answer, which repeats it, reaches the guest without."""
    mark = placeholder(guest)
    answer = await guest.get(f"http://{HOST}:{server.port}/?key={mark}", f"Authorization: Bearer {mark}")
    assert 2 == server.heard[0].count(VALUE.encode())
    assert (0, 0) == (answer.count(VALUE.encode()), server.heard[0].count(mark.encode()))
    assert 2 == answer.count(b"*" * len(VALUE))
    assert VALUE not in repr(guest.attempts) + repr(SECRET)
    assert [("API_TOKEN",)] == [attempt["secrets"] for attempt in guest.attempts]


async def test_a_request_without_the_secret_is_recorded_without_it(guest: Guest, server: Server) -> None:
    """Only what goes to the host counts as used."""
    await guest.get(f"http://{HOST}:{server.port}/")
    assert [()] == [attempt["secrets"] for attempt in guest.attempts]


async def test_basic_authentication_is_opened(guest: Guest, server: Server) -> None:
    """A placeholder inside a packed header is found, replaced and packed again."""
    await guest.get(f"http://{HOST}:{server.port}/", basic(f"me:{placeholder(guest)}"))
    assert basic(f"me:{VALUE}").encode().lower() in server.heard[0].lower()


@pytest.mark.parametrize("where", ["target", "header", "basic", "body"])
async def test_a_placeholder_sent_elsewhere_is_stopped(guest: Guest, server: Server, where: str) -> None:
    """Nothing arrives whole at another host, though that is granted, and it is recorded."""
    mark, url = placeholder(guest), f"http://{OTHER}:{server.port}/"
    await {
        "target": partial(guest.get, f"{url}{mark}"),
        "header": partial(guest.get, url, f"X-Any: {mark}"),
        "basic": partial(guest.get, url, basic(f"me:{mark}")),
        "body": partial(guest.get, url, method="POST", body=b"x" * 70_000 + mark.encode()),
    }[where]()
    assert [] == server.heard
    assert "the placeholder of API_TOKEN" in guest.attempts[-1]["why"]
    assert mark not in repr(guest.attempts)


@given(
    st.lists(st.sampled_from(["x", VALUE, VALUE[:7], VALUE[7:], "v", "value-"]), max_size=9),
    st.integers(1, 9),
)
def test_no_cut_lets_a_secret_through(parts: list[str], size: int) -> None:
    """However a response is split into chunks, no secret passes the redactor, and no byte is lost."""
    said = "".join(parts).encode()
    redactor = Redactor([VALUE.encode()])
    pieces = [redactor.redact(said[at : at + size]) for at in range(0, len(said), size)]
    passed = b"".join([*pieces, redactor.rest()])
    assert said.replace(VALUE.encode(), b"*" * len(VALUE)) == passed


@given(st.integers(1, 60), st.integers(0, 99))
def test_no_cut_hides_a_placeholder(size: int, before: int) -> None:
    """However a body is cut into pieces, a placeholder in it is seen."""
    secrets = SecretInjector([SECRET])
    body = b"x" * before + secrets.environment["API_TOKEN"].encode()
    assert not _passes(LeakDetector(secrets, OTHER), body, size)
    assert _passes(LeakDetector(secrets, OTHER), body[:-1], size)


def _passes(watch: LeakDetector, body: bytes, size: int) -> bool:
    try:
        for at in range(0, len(body), size):
            watch.check(body[at : at + size])
    except EgressDenied:
        return False
    return True
