"""A file of the state folder that several engines share: in the database, sealed, with a version."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.common.errors import Problem
from engine.common.local_files import write_private
from engine.core.history.event_bus import EventBus


class SharedFile:
    """Keeps a file like that of the other engines; does nothing where there are none."""

    def __init__(self, path: Path, events: EventBus) -> None:
        self._path = path
        self._events = events
        self._version = 0

    async def pull(self) -> bool:
        """Take the file of the other engines, or give them the one that is here; return whether it changed.

        Raises:
            HistoryError: the database does not answer, or what it has was not sealed by an engine.
        """
        engines = self._events.log.engines
        if engines is None:
            return False
        version, content = await engines.file(self._path.name)
        if not version and self._path.exists():
            await self.push()
        if version in {0, self._version}:
            return False
        await asyncio.to_thread(write_private, self._path, content)
        self._version = version
        return True

    async def push(self) -> None:
        """Give the other engines the file as it is here.

        Raises:
            Problem: one of them has changed it since; this one has taken theirs (409).
            HistoryError: the database does not answer.
        """
        engines = self._events.log.engines
        if engines is None:
            return
        content = await asyncio.to_thread(self._path.read_bytes)
        if not await engines.put_file(self._path.name, self._version, content):
            await self.pull()
            raise Problem(409, f"another engine has changed {self._path.name} meanwhile", hint="Try again.")
        self._version += 1
