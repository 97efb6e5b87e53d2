"""Tells the engine which results their agents have: until then the same call gets the same result.

Nothing in MCP confirms a result. One that was answered sooner than any common client gives up was received;
of one that took longer, or that was asked for more than once, this is not known, and the same call soon
afterwards gets it once more. A client that gives up a call which was answered already did not receive it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import OPEN, Case
from engine.server.mcp.patience import Patience

UNSURE_SECONDS = 300.0
"""How long the same call gets a result again of which it is not known whether it was received."""
AGAIN_SECONDS = 10.0
"""The same for a result that was answered soon, to a client that had asked for it before."""
MOST_REMEMBERED = 10_000


class Deliveries:
    """The results that were answered, for the engine to know."""

    def __init__(self, tasks: asyncio.TaskGroup, patience: Patience) -> None:
        self._tasks = tasks
        self._patience = patience
        self._calls: dict[str, int] = {}
        self._answered: dict[object, tuple[str, Client, float]] = {}
        self._last: asyncio.Task[None] | None = None

    def asked(self, id: str) -> None:
        """Note that a call for a result begins."""
        self._calls[id] = self._calls.pop(id, 0) + 1
        while len(self._calls) > MOST_REMEMBERED:
            del self._calls[next(iter(self._calls))]

    def answered(self, case: Case, client: Client, began: float, request: object) -> None:
        """Note that a call that began at a time, by a request of that id, is being answered with a case."""
        if case.status in OPEN:
            return
        self._answered[request] = case.submission.id, client, began
        while len(self._answered) > MOST_REMEMBERED:
            del self._answered[next(iter(self._answered))]
        prompt = asyncio.get_running_loop().time() - began <= self._patience.prompt
        again = self._calls.get(case.submission.id, 0) > 1
        kept = UNSURE_SECONDS if not prompt else AGAIN_SECONDS if again else 0.0
        self._start(client.received(case.submission.id, kept))

    def given_up(self, request: object) -> None:
        """Note that a client gave up a request: if it was answered already, the answer came too late."""
        if request not in self._answered:
            return
        id, client, began = self._answered.pop(request)
        self._patience.gave_up(asyncio.get_running_loop().time() - began)
        self._start(client.not_received(id))

    async def settled(self) -> None:
        """Wait until the engine knows what was received so far, and what was not."""
        if self._last:
            await asyncio.wait({self._last})

    def _start(self, telling: Coroutine[None, None, None]) -> None:
        self._last = self._tasks.create_task(_in_turn(self._last, telling))


async def _in_turn(before: asyncio.Task[None] | None, telling: Coroutine[None, None, None]) -> None:
    """Tell the engine something once it was told what came before."""
    if before:
        await asyncio.wait({before})
    with contextlib.suppress(Problem):
        await telling
