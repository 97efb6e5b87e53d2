"""The connections of one endpoint, and which of them gives way to a new one. Pure: no I/O, no clock.

A connection without an authenticated request costs its sender nothing, so it is the first to be dropped: the
oldest of the address that has most of them. Nobody can keep others out with connections that say nothing.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable

from engine.server.http.connections.limits import ConnectionLimits

IPV6_NETWORK = 64
"""Bits of an IPv6 address that name one customer of a provider."""


class Connection:
    """One connection: fresh until a request on it is authenticated, then busy or idle."""

    def __init__(self, registry: ConnectionRegistry, address: str, drop: Callable[[], None]) -> None:
        self._registry = registry
        self.address = address
        self.drop = drop
        self.authenticated = False

    def begin(self) -> None:
        """Note that a request was authenticated: while it is answered, the connection is not dropped."""
        self.authenticated = True
        self._registry.keep(self)

    def end(self) -> None:
        """Note that the request was answered."""
        self._registry.release(self)

    def close(self) -> None:
        """Note that the connection is closed."""
        self._registry.leave(self)


class ConnectionRegistry:
    """Counts connections, and drops the least useful when one of the limits is reached."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._fresh: dict[Connection, None] = {}
        self._idle: dict[Connection, None] = {}
        self._all: set[Connection] = set()
        self._by_address: Counter[str] = Counter()
        self._fresh_by_address: Counter[str] = Counter()
        self.dropped = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all)

    def enter(self, address: str, drop: Callable[[], None]) -> Connection | None:
        """Count a new connection; None where there is no place and none can give way."""
        address = network_of(address)
        if not self._make_place(address):
            return None
        connection = Connection(self, address, drop)
        self._all.add(connection)
        self._fresh[connection] = None
        self._by_address[address] += 1
        self._fresh_by_address[address] += 1
        return connection

    def keep(self, connection: Connection) -> None:
        """Take a connection from those that may be dropped."""
        self._forget(connection)

    def release(self, connection: Connection) -> None:
        """Put an authenticated connection behind the others that may be dropped."""
        if connection in self._all and connection.authenticated:
            self._idle[connection] = None

    def leave(self, connection: Connection) -> None:
        """Stop counting a connection."""
        if connection not in self._all:
            return
        self._forget(connection)
        self._all.discard(connection)
        _decrease(self._by_address, connection.address)

    def drop_oldest(self) -> bool:
        """Drop the connection that is missed least, and return whether there was one."""
        crowd = self._fresh_by_address.most_common(1)
        return (bool(crowd) and self._drop_fresh(crowd[0][0])) or self._drop_idle(None)

    def _make_place(self, address: str) -> bool:
        limits = self._limits
        if self._fresh_by_address[address] >= limits.fresh_each:
            self._drop_fresh(address)
        if len(self._fresh) >= limits.fresh:
            self.drop_oldest()
        if self._by_address[address] >= limits.each:
            return self._drop_fresh(address) or self._drop_idle(address)
        return len(self._all) < limits.total or self.drop_oldest()

    def _drop_fresh(self, address: str) -> bool:
        return self._drop(next((one for one in self._fresh if one.address == address), None))

    def _drop_idle(self, address: str | None) -> bool:
        return self._drop(next((one for one in self._idle if address in {None, one.address}), None))

    def _drop(self, connection: Connection | None) -> bool:
        if connection is None:
            return False
        self.leave(connection)
        self.dropped += 1
        connection.drop()
        return True

    def _forget(self, connection: Connection) -> None:
        self._idle.pop(connection, None)
        if connection in self._fresh:
            del self._fresh[connection]
            _decrease(self._fresh_by_address, connection.address)


def network_of(address: str) -> str:
    """Return whose an address is: an IPv4 address, or the network that an IPv6 address lies in."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, IPV6_NETWORK), strict=False))


def _decrease(counts: Counter[str], address: str) -> None:
    counts[address] -= 1
    if counts[address] <= 0:
        del counts[address]
