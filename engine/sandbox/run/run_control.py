"""What can be done about runs that go on: ended, frozen, thawed, and looked into."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from engine.models import KillReason, Result, WorkspaceFile
from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.run import workspace_files
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.results import result_not_started
from engine.sandbox.run.run_handle import RunHandle


class RunControl:
    """Holds the runs by their ids: those that have a sandbox, and all that were let in."""

    def __init__(self) -> None:
        self._running: dict[str, Execution] = {}
        self._tickets: dict[str, RunHandle] = {}

    async def _let_in(self, run: str, work: Coroutine[Any, Any, Result], runtime: str) -> Result:
        """Do a run's work to its end; until it has a sandbox it can be withdrawn."""
        ticket = RunHandle(asyncio.create_task(work))
        self._tickets[run] = ticket
        try:
            await asyncio.wait({ticket.task})
        finally:
            ticket.task.cancel()
            await asyncio.wait({ticket.task})
            del self._tickets[run]
        if ticket.task.cancelled():
            return result_not_started(runtime, ticket.reason, f"withdrawn before it started, by {ticket.by}")
        return ticket.task.result()

    async def stop(self, run: str, by: str) -> None:
        """Ask a run's program to end, and end it after the grace."""
        self._end(run, KillReason.OPERATOR, by)

    async def kill(self, run: str, by: str) -> None:
        """End a run at once."""
        self._end(run, KillReason.OPERATOR, by, gently=False)

    def _end(self, run: str, reason: KillReason, by: str, *, gently: bool = True) -> None:
        """End a run; one that has no sandbox yet is withdrawn."""
        if run in self._running:
            self._running[run].end(reason, by, gently=gently)
        elif run in self._tickets:
            self._tickets[run].withdraw(reason, by)

    def end_all(self, reason: KillReason, by: str) -> None:
        """End every run at once."""
        for run in list(self._tickets):
            self._end(run, reason, by, gently=False)

    async def pause(self, run: str) -> bool:
        """Stop a run where it stands; say whether it stands."""
        return run in self._running and self._running[run].pause()

    async def resume(self, run: str) -> bool:
        """Let a frozen run go on; say whether it goes."""
        return run in self._running and self._running[run].resume()

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files of a run that goes on. Raises SandboxUnavailable."""
        return await workspace_files.files(self._seen(run))

    async def file(self, run: str, name: str) -> bytes | None:
        """Return a file of a run that goes on, or None where it has none. Raises SandboxUnavailable."""
        return await workspace_files.content(self._seen(run), name)

    def _seen(self, run: str) -> Container:
        execution = self._running.get(run)
        if execution is None or not self.goes(run):
            raise SandboxUnavailable("it does not run")
        if execution.watch.stopped:
            raise SandboxUnavailable("it stands frozen", "Thaw it first.")
        return execution.container

    def goes(self, run: str) -> bool:
        """Say whether a run's code is at work."""
        execution = self._running.get(run)
        return execution is not None and execution.began > 0 and not execution.over
