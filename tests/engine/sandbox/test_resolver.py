"""A granted name is looked up once, and denied where any of its addresses is not allowed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from itertools import count

import pytest

from engine.sandbox.api.egress_policy import EgressDenied, EgressPolicy
from engine.sandbox.network.resolver import PinnedResolver

HOST = "api.example.org"
GOOD = ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "8.8.8.8")

Dns = Callable[..., None]


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> Dns:
    """Return what sets the addresses that each look-up in turn finds; the last ones remain."""

    def set_(*answers: tuple[str, ...]) -> None:
        number = count()

        async def found(*_: object, **__: object) -> list[tuple[object, ...]]:
            now = answers[min(next(number), len(answers) - 1)]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in now]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found)

    return set_


def resolver() -> PinnedResolver:
    """Return the resolver of a run that was granted one host."""
    return PinnedResolver(EgressPolicy(domains=(HOST,)))


async def test_all_addresses_of_a_name_are_kept_in_their_order(dns: Dns) -> None:
    """Each once."""
    dns((*GOOD, GOOD[0]))
    assert GOOD == await resolver().addresses(HOST)


@pytest.mark.parametrize("place", range(len(GOOD) + 1))
@pytest.mark.parametrize("inside", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00:ec2::254"])
async def test_one_forbidden_address_among_good_ones_denies_the_name(
    dns: Dns, inside: str, place: int
) -> None:
    """Wherever it stands; no connection is tried to the good ones either."""
    dns((*GOOD[:place], inside, *GOOD[place:]))
    with pytest.raises(EgressDenied, match="not a public address"):
        await resolver().connect(HOST, 443)


async def test_addresses_that_were_checked_do_not_change(dns: Dns) -> None:
    """A name that leads inside at the second look-up is not looked up again."""
    dns(GOOD, ("127.0.0.1",))
    pinned = resolver()
    assert [GOOD, GOOD] == [await pinned.addresses(HOST) for _ in range(2)]


async def test_a_denied_name_is_not_kept(dns: Dns) -> None:
    """Nothing of a look-up with a forbidden address is used later."""
    dns(("127.0.0.1", *GOOD), (*GOOD, "127.0.0.1"))
    pinned = resolver()
    for _ in range(2):
        with pytest.raises(EgressDenied, match="not a public address"):
            await pinned.addresses(HOST)


async def test_a_name_without_an_address_is_denied(dns: Dns) -> None:
    """An empty answer is no way out."""
    dns(())
    with pytest.raises(EgressDenied, match="no address"):
        await asyncio.wait_for(resolver().connect(HOST, 443), 5)
