"""Enlarges the buffer of a socket that another process sends on.

gVisor sends its events without waiting, and drops what does not fit: by default some 270 events.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
from pathlib import Path

SEND_BYTES = 32 << 20
"""The kernel counts twice of it, and some 770 bytes for an event: about 80,000 fit."""
_PIDFD_GETFD = 438
_SO_SNDBUFFORCE = 32


def enlarge_send_buffer(pid: int, peer: str) -> bool:
    """Enlarge the buffer of the socket of process `pid` that is connected to the Unix socket `peer`.

    Returns whether one was found and enlarged; it takes root.
    """
    if platform.system() != "Linux":
        return False
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        return any(_enlarge(handle, int(entry.name), peer) for entry in _sockets(pid))
    finally:
        os.close(handle)


def _sockets(pid: int) -> list[Path]:
    """Return the descriptors that are sockets, the newest first."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(entry).startswith("socket:"):  # noqa: PTH115  it names no path
                found.append(entry)
        except OSError:
            continue
    return sorted(found, key=lambda entry: -int(entry.name))


def _enlarge(handle: int, number: int, peer: str) -> bool:
    copy = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, handle, number, 0)
    if copy < 0:
        return False
    with socket.socket(fileno=copy) as connection:
        try:
            if connection.family != socket.AF_UNIX or connection.getpeername() != peer:
                return False
            connection.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, SEND_BYTES)
        except OSError:
            return False
        return True
