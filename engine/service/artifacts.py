"""The files that runs leave: kept in the history by their hash, and handed out again."""

from __future__ import annotations

from engine.audit import AuditLog
from engine.problem import Problem
from engine.text import visible


class Artifacts:
    """Hands out what runs left. Whose a run is, is for the doors to check."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    async def fetch(self, run: str, name: str) -> bytes:
        """Return the newest file of that name, or of that digest, that a run left.

        Raises:
            Problem: it left none (404), or it was erased by the rules of retention (410).
        """
        try:
            content = await self._log.artifact(run, name)
        except KeyError:
            raise Problem(404, f"{run} left no file {visible(name)[:200]}") from None
        if content is None:
            raise Problem(410, f"{visible(name)[:200]} of {run} was erased by retention")
        return content
