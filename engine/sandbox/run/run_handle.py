"""The handle of one run, from its arrival to its result."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from engine.models import KillReason, Result


@dataclass(slots=True)
class RunHandle:
    """The task of one run, and who withdrew it."""

    task: asyncio.Task[Result]
    reason: KillReason = KillReason.OPERATOR
    by: str = ""

    def withdraw(self, reason: KillReason, by: str) -> None:
        """Cancel the run before any code has run."""
        self.reason, self.by = reason, by
        self.task.cancel()
