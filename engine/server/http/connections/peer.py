"""Who is at the other end of a Unix socket, as the kernel says (SO_PEERCRED, unix(7))."""

from __future__ import annotations

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")


def is_foreign(accepted: socket.socket) -> bool:
    """Return whether a connection over a Unix socket comes from another user than that of this process."""
    if accepted.family != socket.AF_UNIX:
        return False
    credentials = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(credentials)
    return bool(uid != os.getuid())
