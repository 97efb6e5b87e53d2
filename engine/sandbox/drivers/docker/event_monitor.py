"""A watch kept over the sandboxes that wait: Docker tells what anybody does to them, and to their images.

While it is kept, a sandbox that was found right, and of which nothing was told since, needs no question when
it is taken. Where Docker cannot be heard every sandbox is doubtful, and is asked about.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from docker.errors import APIError

from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable

_AGAIN_SECONDS = 5.0
_MOST_TOUCHED = 1000
_FILTERS = {
    "type": ["container", "image"],
    "event": [
        *("die", "kill", "oom", "pause", "unpause", "restart", "rename", "update", "exec_create"),
        *("extract-to-dir", "tag", "untag", "delete", "import", "load", "pull"),
    ],
}


class EventMonitor:
    """Says of which sandboxes nothing was told since they were found right."""

    def __init__(self, daemon: DockerClient) -> None:
        self._daemon = daemon
        self._watch = 0
        self._hears = False
        self._touched: set[str] = set()

    @property
    def watch(self) -> int:
        """The number of the watch that is kept, or 0: what was seen before another one proves nothing."""
        return self._watch if self._hears else 0

    def is_unchanged(self, container: str, since: int) -> bool:
        """Say whether nothing was told of a container that was found right during the watch `since`."""
        return bool(since) and since == self.watch and not self.touched(container)

    def touched(self, container: str) -> bool:
        """Say whether something was told of a container during this watch."""
        return container in self._touched

    async def keep(self) -> None:
        """Listen for ever. Ends when it is cancelled."""
        while True:
            with contextlib.suppress(DockerUnreachable, APIError, OSError, ValueError):
                await self._listen()
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen(self) -> None:
        reader, writer = await self._daemon.listen(_FILTERS)
        try:
            self._begin()
            while line := await reader.readline():
                self._take(line)
        finally:
            self._hears = False
            writer.transport.abort()

    def _begin(self) -> None:
        """Begin another watch: what was seen before it counts no more."""
        self._watch += 1
        self._touched.clear()
        self._hears = True

    def _take(self, line: bytes) -> None:
        """Take one line: JSON, or what HTTP puts around a piece of it."""
        if not line.lstrip().startswith(b"{"):
            return
        told: dict[str, Any] = json.loads(line)
        actor = told.get("Actor") or {}
        if told.get("Type") == "container" and "ID" in actor and len(self._touched) < _MOST_TOUCHED:
            self._touched.add(str(actor["ID"]))
        else:
            self._begin()
