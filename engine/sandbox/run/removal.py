"""Removes used sandboxes in the background."""

from __future__ import annotations

import asyncio

from engine.sandbox.api.driver import Sandbox, SandboxDriver
from engine.sandbox.api.job import Watcher
from engine.sandbox.api.run_events import SandboxDestroyed
from engine.sandbox.run.background import spawn

_SECONDS = 20.0


class SandboxRemover:
    """Removes sandboxes while the runs after them go on."""

    def __init__(self, driver: SandboxDriver) -> None:
        self._driver = driver
        self._tasks: set[asyncio.Task[None]] = set()

    def remove(self, sandbox: Sandbox, watcher: Watcher | None = None) -> None:
        """Remove a sandbox, and report to the watcher of its run once it is gone."""
        spawn(self._destroy(sandbox, watcher), self._tasks)

    async def _destroy(self, sandbox: Sandbox, watcher: Watcher | None) -> None:
        gone = await self._driver.destroy(sandbox)
        if watcher is not None:
            await watcher.event(SandboxDestroyed(sandbox=sandbox.id, gone=gone))

    async def finish(self) -> None:
        """Wait for the removals under way, then remove every sandbox of this engine that is left."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SECONDS)
        await self._driver.remove_all()
