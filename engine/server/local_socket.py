"""The Unix socket of this engine: what became of it, and a new one where it was removed or replaced."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from pathlib import Path

from engine.common import log
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Check
from engine.server.http.listeners import bind_unix

WATCH_SECONDS = 1.0
NAME = "endpoint: socket"


class LocalSocket:
    """The socket at a path, which clients of this machine find the engine by."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: tuple[int, int] | None = None
        self._failure = ""

    def bind(self) -> socket.socket:
        """Return a listener at the path.

        Raises:
            Problem: it cannot be made there.
        """
        try:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            listener = bind_unix(self._path)
        except OSError as error:
            hint = f"Look at: ls -la {self._path.parent}"
            raise Problem(503, f"{self._path} cannot be made: {error.strerror}", hint=hint) from None
        self._made = _identity(self._path)
        return listener

    @property
    def is_there(self) -> bool:
        """Whether the path still leads to this socket."""
        return self._made is not None and self._made == _identity(self._path)

    async def watch(self, listen: Callable[[socket.socket], None]) -> None:
        """Make the socket again where it was removed or replaced, and listen there, until cancelled."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if not self.is_there:
                self._make_again(listen)

    def remove(self) -> None:
        """Remove the socket at the end, unless something else is in its place."""
        if self.is_there:
            self._path.unlink(missing_ok=True)

    def check(self) -> Check:
        """Return the row of Health."""
        if self.is_there:
            return Check(name=NAME, ok=True, detail=Untrusted(f"{self._path}, for its owner alone"))
        detail = self._failure or f"{self._path} was removed or replaced"
        return Check(name=NAME, ok=False, detail=Untrusted(detail), hint=f"ls -la {self._path.parent}")

    def _make_again(self, listen: Callable[[socket.socket], None]) -> None:
        try:
            listen(self.bind())
        except (OSError, Problem) as error:
            reason = error.title if isinstance(error, Problem) else str(error.strerror)
            if reason != self._failure:
                log.warning("socket.lost", reason=reason)
            self._failure = reason
        else:
            self._failure = ""
            log.warning("socket.restored", address=str(self._path), pid=os.getpid())


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
