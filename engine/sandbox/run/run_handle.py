"""A run's place in the house, from its coming in to its envelope."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from engine.models import InputFile, KillReason, Result
from engine.sandbox.guest_protocol.framing import safe_name


@dataclass(slots=True)
class RunHandle:
    """The task of one run, and who gave its place up."""

    task: asyncio.Task[Result]
    reason: KillReason = KillReason.OPERATOR
    by: str = ""

    def withdraw(self, reason: KillReason, by: str) -> None:
        """Give the place up before any code has run."""
        self.reason, self.by = reason, by
        self.task.cancel()


def invalid_file_name(files: Iterable[InputFile]) -> str:
    """Return what is wrong with the first file name that leaves the workspace, or nothing."""
    try:
        for file in files:
            safe_name(file.name)
    except ValueError as error:
        return str(error)
    return ""


def spawn(work: Coroutine[Any, Any, None], among: set[asyncio.Task[None]]) -> None:
    """Start a task that its set holds on to until it is done."""
    task = asyncio.create_task(work)
    among.add(task)
    task.add_done_callback(among.discard)
