"""A port of the sandbox of a session, which is also reached while nothing is executed there."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable

from engine.sandbox.api.guest_port import GuestPort


class SessionPort:
    """A port, and what is to be done once it is closed."""

    def __init__(self, port: GuestPort, closed: Callable[[], Awaitable[None]]) -> None:
        self._port = port
        self._closed = closed

    def connect(self, first: bytes) -> socket.socket:
        """Return a new connection on which `first` was sent, 64 kB at most; it ends where nothing listens.

        Raises SandboxUnavailable.
        """
        return self._port.connect(first)

    async def wait_closed(self) -> None:
        """Wait until no connection is possible any more: the sandbox is gone."""
        await self._port.wait_closed()

    async def close(self) -> None:
        """End every connection."""
        await self._port.close()
        await self._closed()
