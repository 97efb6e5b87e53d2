"""Removes used sandboxes in the background."""

from __future__ import annotations

import asyncio
from functools import partial

from engine.common.supervisor import Supervisor
from engine.sandbox.api.driver import Sandbox, SandboxDriver
from engine.sandbox.api.job import Watcher
from engine.sandbox.api.run_events import SandboxDestroyed

_SECONDS = 20.0
_KILL_SECONDS = 1.0
"""How long the container runtime has to remove a sandbox before its processes are killed past it."""


class SandboxRemover:
    """Removes sandboxes while the runs after them go on: again until they are gone."""

    def __init__(self, driver: SandboxDriver, supervisor: Supervisor) -> None:
        self._driver = driver
        self._supervisor = supervisor
        self._tasks: set[asyncio.Task[None]] = set()

    def remove(self, sandbox: Sandbox, watcher: Watcher | None = None) -> None:
        """Remove a sandbox, and report to the watcher of its run once it is gone."""
        task = self._supervisor.start("removal", partial(self._destroy, sandbox, watcher))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _destroy(self, sandbox: Sandbox, watcher: Watcher | None) -> None:
        killing = asyncio.get_running_loop().call_later(_KILL_SECONDS, sandbox.kill_processes)
        try:
            gone = await self._driver.destroy(sandbox)
        except BaseException:
            sandbox.kill_processes()
            raise
        finally:
            killing.cancel()
        if watcher is not None:
            await watcher.event(SandboxDestroyed(sandbox=sandbox.id, gone=gone))

    async def finish(self) -> None:
        """Wait for the removals under way, then remove every sandbox of this engine that is left."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SECONDS)
        await self._driver.remove_all()
