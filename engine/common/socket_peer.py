"""Who is at the other end of a Unix socket, as the kernel says (SO_PEERCRED, unix(7))."""

from __future__ import annotations

import os
import socket
import struct

CONNECT_SECONDS = 2.0
"""A process that hangs takes no more connections once its backlog is full."""
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group."""


def is_foreign(accepted: socket.socket) -> bool:
    """Return whether a connection over a Unix socket comes from another user than that of this process."""
    if accepted.family != socket.AF_UNIX:
        return False
    return _peer(accepted)[1] != os.getuid()


def listener_of(path: str) -> int:
    """Return the process that listens at a Unix socket.

    Raises:
        OSError: nobody does, it takes no more connections, or it is a process of another PID namespace, which
            the kernel calls 0.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
        process, _ = _peer(connection)
    if not process:
        raise ProcessLookupError(f"the process that listens at {path} is in another PID namespace")
    return process


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Return the process and the user at the other end."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, _ = _CREDENTIALS.unpack(found)
    return process, user
