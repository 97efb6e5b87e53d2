"""The name of an engine that stays the same from one start to the next."""

from __future__ import annotations

import contextlib
import hashlib
import socket
from pathlib import Path


def engine_id(state: Path) -> str:
    """Return the name that the sandboxes of a state folder's engine carry, from one start to the next.

    Two machines may use one Docker, and the same path: what one made is not the other's.
    """
    return hashlib.sha256(f"{_machine()}\0{state}".encode()).hexdigest()[:12]


def _machine() -> str:
    """Return what tells this machine from others: its machine-id(5), or its name where it has none."""
    with contextlib.suppress(OSError):
        if found := Path("/etc/machine-id").read_text().strip():
            return found
    return socket.gethostname()
