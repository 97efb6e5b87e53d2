"""The process of the engine on this machine, also where it does not answer."""

from __future__ import annotations

from engine import locations
from engine.common.lock_holder import lock_holder
from engine.common.socket_peer import listener_of


def engine_process() -> int | None:
    """Return the process of this user's engine: it holds the history's lock, or listens at the socket.

    A history in PostgreSQL has no lock on this machine. None: no engine runs here.
    """
    return lock_holder(locations.engine_lock()) or _listener()


def _listener() -> int | None:
    try:
        return listener_of(str(locations.socket()))
    except OSError:
        return None
