"""A port of the loopback of a sandbox, reached by the engine without a network."""

from __future__ import annotations

import socket
from typing import Protocol


class GuestPort(Protocol):
    """Connects to one port of a sandbox."""

    def connect(self, first: bytes) -> socket.socket:
        """Return a new connection on which `first` was sent, 64 kB at most; it ends where nothing listens.

        Raises SandboxUnavailable.
        """

    async def wait_closed(self) -> None:
        """Wait until no connection is possible any more: the sandbox is gone."""

    async def close(self) -> None:
        """End every connection."""
