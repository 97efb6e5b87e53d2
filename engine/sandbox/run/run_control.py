"""Ends, pauses and inspects runs, by their ids."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from engine.models import KillReason, Result, WorkspaceFile
from engine.models.snapshot import RunSnapshot
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort
from engine.sandbox.api.results import result_not_started
from engine.sandbox.network.guest_port import guest_port
from engine.sandbox.run import workspace_files
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.run_handle import RunHandle
from engine.sandbox.run.snapshot import snapshot


class RunControl:
    """Knows the runs that were accepted, and those of them that have a sandbox."""

    def __init__(self, runtime: str) -> None:
        self.executions: dict[str, Execution] = {}
        self._runtime = runtime
        self._handles: dict[str, RunHandle] = {}

    @property
    def tasks(self) -> tuple[asyncio.Task[Result], ...]:
        """The tasks of all accepted runs."""
        return tuple(handle.task for handle in self._handles.values())

    async def accept(self, run: str, work: Coroutine[Any, Any, Result]) -> Result:
        """Do the work of a run; until it has a sandbox it can be withdrawn."""
        handle = RunHandle(asyncio.create_task(work))
        self._handles[run] = handle
        try:
            await asyncio.wait({handle.task})
        finally:
            handle.task.cancel()
            await asyncio.wait({handle.task})
            del self._handles[run]
        if handle.task.cancelled():
            why = f"withdrawn before it started, by {handle.by}"
            return result_not_started(self._runtime, handle.reason, why)
        return handle.task.result()

    def end(self, run: str, reason: KillReason, by: str, *, gently: bool = True) -> None:
        """End a run: gently with a grace period, or at once. One without a sandbox is withdrawn."""
        if run in self.executions:
            self.executions[run].end(reason, by, gently=gently)
        elif run in self._handles:
            self._handles[run].withdraw(reason, by)

    def end_all(self, reason: KillReason, by: str) -> None:
        """End every run at once."""
        for run in list(self._handles):
            self.end(run, reason, by, gently=False)

    def lose_all(self) -> None:
        """End every run that has a sandbox: the container runtime is gone."""
        for execution in list(self.executions.values()):
            execution.lose()

    def pause(self, run: str) -> bool:
        """Pause a run; return whether it is paused."""
        return run in self.executions and self.executions[run].pause()

    def resume(self, run: str) -> bool:
        """Resume a paused run; return whether it is running."""
        return run in self.executions and self.executions[run].resume()

    def is_running(self, run: str) -> bool:
        """Return whether the code of a run is running."""
        execution = self.executions.get(run)
        return execution is not None and execution.began > 0 and not execution.over

    async def look(self, run: str) -> RunSnapshot:
        """Return what a running or paused run is doing. Raises SandboxUnavailable."""
        execution = self.executions.get(run)
        if execution is None or not self.is_running(run):
            raise SandboxUnavailable("it is not running")
        return await snapshot(execution)

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files of a running run. Raises SandboxUnavailable."""
        return await workspace_files.files(self._readable(run))

    async def file(self, run: str, name: str) -> bytes | None:
        """Return a file of a running run, or None if it has none. Raises SandboxUnavailable."""
        return await workspace_files.content(self._readable(run), name)

    async def guest_port(self, run: str, port: int) -> GuestPort:
        """Return a port of the loopback of a running run. Raises SandboxUnavailable."""
        return await guest_port(self._readable(run), port)

    def _readable(self, run: str) -> Sandbox:
        execution = self.executions.get(run)
        if execution is None or not self.is_running(run):
            raise SandboxUnavailable("it is not running")
        if execution.watch.stopped:
            raise SandboxUnavailable("it is paused", "Resume it first.")
        return execution.sandbox
