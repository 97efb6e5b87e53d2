"""What the network of a run may reach: names, ports, addresses. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from engine.common.hosts import matches_any
from engine.settings import NetworkSettings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL = tuple(
    ip_network(text)
    for text in (
        "192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20", "5f00::/16",
        "64:ff9b::/96", "64:ff9b:1::/48", "::/96",
    )
)  # fmt: skip
"""Networks with a meaning of their own (IANA's special-purpose registries): Python's releases differ about
some, and others stand for an IPv4 address that may be anything (RFC 6052, RFC 8215, RFC 4291)."""


class EgressDenied(Exception):
    """The proxy refuses a request; the message says why."""


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """The network that one run was granted, and its bounds."""

    domains: tuple[str, ...]
    """Names; `*.` and a name matches every name below it."""
    ports: frozenset[int] = frozenset({80, 443})
    exceptions: tuple[Network, ...] = ()
    """Networks that names may resolve to although they are not public."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Addresses of names that are not looked up."""
    plain_secrets: frozenset[str] = frozenset()
    """Hosts that receive their secrets over plain HTTP, too."""
    requests: int = 1000
    bytes: int = 256 << 20
    seconds: float = 10.0
    """How long a look-up, a connection or a handshake may take."""

    @classmethod
    def of(cls, domains: tuple[str, ...], settings: NetworkSettings) -> EgressPolicy:
        """Return the policy for granted domains under these settings."""
        return cls(
            domains=domains,
            ports=frozenset(settings.ports),
            exceptions=tuple(ip_network(one) for one in settings.addresses),
            names=settings.names,
            plain_secrets=frozenset(settings.plain_secrets),
            requests=settings.requests,
            bytes=settings.megabytes << 20,
            seconds=settings.seconds,
        )

    def check(self, host: str, port: int) -> None:
        """Check a name and a port. Raises EgressDenied."""
        if not matches_any(self.domains, host):
            raise EgressDenied("the name was not granted")
        if port not in self.ports:
            raise EgressDenied(f"port {port} is not one of {', '.join(map(str, sorted(self.ports)))}")

    def check_address(self, text: str) -> None:
        """Check an address, after its name was resolved. Raises EgressDenied."""
        address = ip_address(text.partition("%")[0])
        if any(address in network for network in self.exceptions):
            return
        if not all(_is_public(each) for each in _meanings(address)):
            raise EgressDenied(f"the name resolves to {address}, which is not a public address")


def _is_public(address: Address) -> bool:
    odd = address.is_multicast or address.is_reserved or address.is_link_local or address.is_loopback
    return address.is_global and not odd and not any(address in network for network in _SPECIAL)


def _meanings(address: Address) -> Iterator[Address]:
    """Yield the address, and those that it carries inside."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            yield address.ipv4_mapped
            return
        if address.sixtofour:
            yield address.sixtofour
        if address.teredo:
            yield from address.teredo
    yield address
