"""Reaches a port of a sandbox's loopback through a process beside the program."""

from __future__ import annotations

import socket

from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.guest_protocol.programs import PREVIEW
from engine.sandbox.network.bridge import Bridge, BridgeError

_SECONDS = 15.0


class BridgedPort:
    """One port of a sandbox. The guest's end cannot open connections, and whatever it sends is untrusted."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def connect(self, first: bytes) -> socket.socket:
        """Return a new connection on which `first` was sent, 64 kB at most; it ends where nothing listens.

        Raises SandboxUnavailable.
        """
        try:
            return self._bridge.connect(first)
        except BridgeError as error:
            raise SandboxUnavailable(str(error)) from error

    async def wait_closed(self) -> None:
        """Wait until no connection is possible any more: the sandbox is gone."""
        await self._bridge.wait_closed()

    async def close(self) -> None:
        """End every connection."""
        await self._bridge.close()


async def guest_port(sandbox: Sandbox, port: int) -> BridgedPort:
    """Return a port of a running sandbox. Raises SandboxUnavailable."""
    command = ["/usr/bin/perl", "-e", PREVIEW, "--", str(port)]
    try:
        bridge = Bridge(*await sandbox.start_process(command, guarded=True), _refuse)
        await bridge.open(b"", _SECONDS)
    except (BridgeError, OSError) as error:
        raise SandboxUnavailable(f"the port in the sandbox cannot be reached: {error}") from error
    return BridgedPort(bridge)


def _refuse(opened: socket.socket) -> None:
    """Close what the guest opens by itself."""
    opened.close()
