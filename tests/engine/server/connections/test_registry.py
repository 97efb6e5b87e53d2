"""Who gives way where an endpoint has no place left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.server.http.connections.limits import ConnectionLimits
from engine.server.http.connections.registry import Connection, ConnectionRegistry, network_of

LIMITS = ConnectionLimits(total=12, each=6, fresh=8, fresh_each=3)


class Peers:
    """Connections to a registry, and which of them were dropped."""

    def __init__(self, limits: ConnectionLimits = LIMITS) -> None:
        self.registry = ConnectionRegistry(limits)
        self.dropped: list[int] = []
        self.open: dict[int, Connection] = {}

    def enter(self, number: int, address: str) -> Connection | None:
        """Enter with a number by which it is known when it is dropped."""
        found = self.registry.enter(address, lambda: self.dropped.append(number))
        if found:
            self.open[number] = found
        return found


def test_the_oldest_silent_connection_of_an_address_gives_way() -> None:
    """One address has so many connections without a request; the newest of them stay."""
    peers = Peers()
    for number in range(5):
        peers.enter(number, "192.0.2.1")
    assert [0, 1] == peers.dropped
    assert 3 == len(peers.registry)


def test_a_crowd_gives_way_before_anybody_else() -> None:
    """Where all have too many silent connections together, the address with most of them loses one."""
    peers = Peers(ConnectionLimits(total=12, each=12, fresh=4, fresh_each=4))
    for number, address in enumerate(["192.0.2.9", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.8"]):
        peers.enter(number, address)
    assert [1] == peers.dropped


def test_a_connection_with_a_request_is_never_dropped() -> None:
    """Busy connections fill the endpoint, and the next connection finds no place."""
    peers = Peers()
    for number in range(12):
        found = peers.enter(number, f"192.0.2.{number}")
        assert found
        found.begin()
    assert peers.enter(12, "192.0.2.99") is None
    assert [] == peers.dropped


def test_an_idle_connection_gives_way_the_longest_idle_first() -> None:
    """A connection that was used and is quiet goes when the endpoint is full."""
    peers = Peers()
    for number in range(12):
        found = peers.enter(number, f"192.0.2.{number}")
        assert found
        found.begin()
    for number in (7, 3):
        peers.open[number].end()
    assert peers.enter(12, "192.0.2.99")
    assert [7] == peers.dropped


def test_one_address_cannot_take_all_places() -> None:
    """The limit of one address holds for authenticated connections too."""
    peers = Peers()
    for number in range(6):
        found = peers.enter(number, "192.0.2.1")
        assert found
        found.begin()
    assert peers.enter(6, "192.0.2.1") is None
    assert peers.enter(7, "192.0.2.2")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.2", "192.0.2.2"),
        ("fe80::1%eth0", "fe80::/64"),
        ("fe80::2%eth1", "fe80::/64"),
        ("::1", "::/64"),
        ("", ""),
    ],
)
def test_addresses_of_one_customer_count_as_one(address: str, network: str) -> None:
    """An IPv6 network of 64 bits is one sender, an IPv4 address written as IPv6 is itself."""
    assert network == network_of(address)


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["enter", "begin", "end", "close"]),
        st.integers(0, 30),
        st.sampled_from(["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2"]),
    ),
    max_size=120,
)


@given(ACTIONS)
def test_no_order_of_events_breaks_a_limit(actions: list[tuple[str, int, str]]) -> None:
    """Whatever comes in whatever order: the limits hold, and busy connections are kept."""
    peers, busy = Peers(), set()
    for number, (action, which, address) in enumerate(actions):
        if action == "enter":
            peers.enter(number, address)
        elif peers.open:
            chosen = sorted(peers.open)[which % len(peers.open)]
            getattr(peers.open[chosen], action)()
            if action == "begin" and chosen not in peers.dropped:
                busy.add(chosen)
            else:
                busy.discard(chosen)
        assert not busy & set(peers.dropped)
        registry = peers.registry
        assert len(registry) <= LIMITS.total
        assert len(registry._fresh) <= LIMITS.fresh
        assert all(count <= LIMITS.each for count in registry._by_address.values())
        assert all(count <= LIMITS.fresh_each for count in registry._fresh_by_address.values())
        assert sum(registry._by_address.values()) == len(registry)
