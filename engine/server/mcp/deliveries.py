"""Tells the engine which results their agents have: until then the same call gets the same result.

Nothing in MCP confirms a result. One that was answered sooner than any common client gives up was received;
of one that took longer this is not known, and the same call soon afterwards gets it once more.
"""

from __future__ import annotations

import asyncio
import contextlib

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import Case
from engine.server.mcp.patience import Patience
from engine.server.mcp.tool_result import OPEN

UNSURE_SECONDS = 300.0
"""How long the same call gets a result again of which it is not known whether it was received."""


class Deliveries:
    """The results that were answered, for the engine to know."""

    def __init__(self, tasks: asyncio.TaskGroup, patience: Patience) -> None:
        self._tasks = tasks
        self._patience = patience

    def answered(self, case: Case, client: Client, began: float) -> None:
        """Note that a call that began at a time is being answered with a case."""
        if case.status in OPEN:
            return
        prompt = asyncio.get_running_loop().time() - began <= self._patience.prompt
        self._tasks.create_task(_confirm(case.submission.id, client, 0.0 if prompt else UNSURE_SECONDS))


async def _confirm(id: str, client: Client, kept: float) -> None:
    with contextlib.suppress(Problem):
        await client.received(id, kept)
