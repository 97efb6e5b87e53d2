"""The files of runs: the workspace of a running one, and the artifacts of a finished one."""

from __future__ import annotations

import contextlib

from engine.common.errors import Problem
from engine.common.text import visible
from engine.history.api import HistoryStore
from engine.history.errors import ErasedError
from engine.models import WorkspaceFile
from engine.sandbox import Backend, SandboxUnavailable


class Artifacts:
    """Reads files of runs. Callers check access."""

    def __init__(self, log: HistoryStore, sandboxes: Backend) -> None:
        self._log = log
        self._sandboxes = sandboxes

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a running run.

        Raises:
            Problem: it is not running (409).
        """
        try:
            return await self._sandboxes.files(run)
        except SandboxUnavailable as error:
            raise Problem(409, f"{run}: {error}", hint=error.hint) from None

    async def fetch(self, run: str, name: str) -> bytes:
        """Return a file by name or digest: from the workspace while the run is running, else its artifact.

        Raises:
            Problem: there is none (404), or retention has erased it (410).
        """
        if self._sandboxes.is_running(run):
            with contextlib.suppress(SandboxUnavailable):  # it may have just ended
                if (now := await self._sandboxes.file(run, name)) is not None:
                    return now
        try:
            return await self._log.read.artifact(run, name)
        except KeyError:
            raise Problem(404, f"{run} has no artifact {visible(name)[:200]}") from None
        except ErasedError as error:
            raise Problem(410, error.title) from None
