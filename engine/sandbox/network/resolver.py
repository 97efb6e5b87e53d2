"""Resolves each name once for a whole run, so that its addresses cannot change after they were checked."""

from __future__ import annotations

import asyncio
import socket
import ssl

from engine.sandbox.api.egress_policy import EgressDenied, EgressPolicy

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class PinnedResolver:
    """Resolves names and connects to them. A name with any address that is not allowed is denied."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._policy = policy
        self._pinned: dict[str, tuple[str, ...]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a name. Raises EgressDenied."""
        if host not in self._pinned:
            found = await self._look_up(host)
            for address in found:
                self._policy.check_address(address)
            self._pinned[host] = found
        return self._pinned[host]

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> Streams:
        """Connect to the first address that answers, with TLS if a context is given. Raises EgressDenied."""
        last: Exception | None = None
        name = host if tls else None
        for address in await self.addresses(host):
            try:
                async with asyncio.timeout(self._policy.seconds):
                    return await asyncio.open_connection(address, port, ssl=tls, server_hostname=name)
            except (OSError, TimeoutError) as error:
                last = error
        raise EgressDenied(f"{host} does not answer: {last or 'it has no address'}")

    async def _look_up(self, host: str) -> tuple[str, ...]:
        if host in self._policy.names:
            return (self._policy.names[host],)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._policy.seconds):
                found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise EgressDenied(f"{host} has no address: {error}") from None
        return tuple(dict.fromkeys(str(address[4][0]) for address in found))
