"""Who is at the other end of a Unix socket, as the kernel says (SO_PEERCRED, unix(7))."""

from __future__ import annotations

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")
"""Process, user and group."""


def is_foreign(accepted: socket.socket) -> bool:
    """Return whether a connection over a Unix socket comes from another user than that of this process."""
    if accepted.family != socket.AF_UNIX:
        return False
    return _peer(accepted)[1] != os.getuid()


def listener_of(path: str) -> int:
    """Return the process that listens at a Unix socket. Raises OSError."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        return _peer(connection)[0]


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Return the process and the user at the other end."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, _ = _CREDENTIALS.unpack(found)
    return process, user
