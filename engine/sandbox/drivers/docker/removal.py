"""Sandboxes that are done with: removed in the background, and again where that failed."""

from __future__ import annotations

import asyncio
import contextlib

from docker.errors import APIError

from engine.sandbox.api.job import Watcher
from engine.sandbox.drivers.docker import reaper
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.run.run_handle import spawn

_SECONDS = 20.0
_GONE_SECONDS = 0.05


class ContainerRemover:
    """Removes what this engine made, and at its start what dead engines left."""

    def __init__(self, daemon: DockerClient, maker: ContainerFactory) -> None:
        self._daemon = daemon
        self._maker = maker
        self._under_way: set[asyncio.Task[None]] = set()
        self.lately: set[str] = set()
        """The containers that were removed since the last reaping."""

    def later(self, container: Container, watcher: Watcher | None = None) -> None:
        """Remove a box, and tell the watcher of its run once it is gone."""
        spawn(self._destroy(container, watcher), self._under_way)

    async def _destroy(self, container: Container, watcher: Watcher | None) -> None:
        gone = await self._maker.end(container)
        self.lately.add(container.id)
        if watcher is not None:
            await watcher.happened("sandbox.destroyed", {"sandbox": container.id, "gone": gone})

    async def reap(self) -> None:
        """Remove what no living engine owns, and what outlived its removal. Raises DaemonLost, APIError."""
        await reaper.reap(self._daemon, self._maker.owner, self._maker.active)
        await reaper.end_leftovers(self._daemon, self.lately)
        self.lately.clear()

    async def finish(self) -> None:
        """Wait for what is under way, remove what is left of this engine's own, and see that it is gone."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_SECONDS)
        with contextlib.suppress(DockerUnreachable, APIError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                while left := await reaper.owned(self._daemon, self._maker.owner.engine):
                    for container in left:
                        await reaper.resume_and_remove(self._daemon, container)
                    await asyncio.sleep(_GONE_SECONDS)
