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
    """Reads files of runs. Callers check whose run it is."""

    def __init__(self, log: HistoryStore, sandboxes: Backend) -> None:
        self._log = log
        self._sandboxes = sandboxes

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a run that goes on.

        Raises:
            Problem: it does not go on (409).
        """
        try:
            return await self._sandboxes.files(run)
        except SandboxUnavailable as error:
            raise Problem(409, f"{run}: {error}", hint=error.hint) from None

    async def fetch(self, run: str, name: str) -> bytes:
        """Return the newest file of that name, or of that digest, that a run left; or has, while it goes on.

        Raises:
            Problem: there is none (404), or it was erased by the rules of retention (410).
        """
        if self._sandboxes.is_running(run):
            with contextlib.suppress(SandboxUnavailable):  # it may end meanwhile
                if (now := await self._sandboxes.file(run, name)) is not None:
                    return now
        try:
            return await self._log.read.artifact(run, name)
        except KeyError:
            raise Problem(404, f"{run} left no file {visible(name)[:200]}") from None
        except ErasedError as error:
            raise Problem(410, error.title) from None
