"""Watches Docker's events about waiting sandboxes and their images.

A sandbox that was verified, and that no event named since, needs no new check when it is taken. While
Docker's events cannot be read, every sandbox is checked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

from docker.errors import APIError

from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable

_AGAIN_SECONDS = 5.0
_REPORT_SECONDS = 0.5
_MOST_CHANGED = 1000
_FILTERS = {
    "type": ["container", "image"],
    "event": [
        *("die", "kill", "oom", "pause", "unpause", "restart", "rename", "update", "exec_create"),
        *("extract-to-dir", "tag", "untag", "delete", "import", "load", "pull"),
    ],
}


class EventMonitor:
    """Knows which sandboxes had no event since they were verified."""

    def __init__(self, client: DockerClient) -> None:
        self._client = client
        self._period = 0
        self._connected = False
        self._changed: set[str] = set()
        self._signalled: set[str] = set()

    @property
    def period(self) -> int:
        """The number of the current monitoring period, or 0; checks of an earlier period do not count."""
        return self._period if self._connected else 0

    def is_unchanged(self, container: str, since: int) -> bool:
        """Return whether a container that was verified in the period `since` had no event since."""
        return bool(since) and since == self.period and not self.changed(container)

    def changed(self, container: str) -> bool:
        """Return whether a container had an event in this period."""
        return container in self._changed

    async def signalled(self, container: str, *, likely: bool) -> bool | None:
        """Return whether Docker sent a container a signal in this period; None where its events are not read.

        Docker reports a signal a moment after it sent it: where it is likely, that moment is waited for.
        """
        until = time.monotonic() + _REPORT_SECONDS * likely
        while self._connected and container not in self._signalled and time.monotonic() < until:
            await asyncio.sleep(0.05)
        if container in self._signalled:
            return True
        return False if self._connected else None

    async def run(self) -> None:
        """Read events until cancelled."""
        while True:
            with contextlib.suppress(DockerUnreachable, APIError, OSError, ValueError):
                await self._listen()
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen(self) -> None:
        reader, writer = await self._client.listen(_FILTERS)
        try:
            self._begin()
            while line := await reader.readline():
                self._take(line)
        finally:
            self._connected = False
            writer.transport.abort()

    def _begin(self) -> None:
        """Begin another period: earlier checks do not count any more."""
        self._period += 1
        self._changed.clear()
        self._signalled.clear()
        self._connected = True

    def _take(self, line: bytes) -> None:
        """Take one line: an event as JSON, or HTTP's chunk framing around it."""
        if not line.lstrip().startswith(b"{"):
            return
        event: dict[str, Any] = json.loads(line)
        actor = event.get("Actor") or {}
        if event.get("Type") == "container" and "ID" in actor and len(self._changed) < _MOST_CHANGED:
            self._changed.add(str(actor["ID"]))
            if event.get("Action") == "kill":
                self._signalled.add(str(actor["ID"]))
        else:
            self._begin()
