"""Responses: stop or pause runs and block what they have, on record; undone as one."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.queue import WorkQueue
from engine.core.response.blocks import Blocks, require_responder
from engine.core.response.plan import response_plan
from engine.core.runs.service import Runs
from engine.models import Event, Principal
from engine.models.response import Block, BlockTarget, Response, ResponsePlan, ResponseRequest

SUBJECT = "responses"
OnBlocked = Callable[[], Awaitable[None]]
"""Called once something was blocked: refuses what waits."""


class Responses:
    """Does what a responder confirmed, records it, and undoes it."""

    def __init__(
        self, events: EventBus, queue: WorkQueue, runs: Runs, blocks: Blocks, on_blocked: OnBlocked
    ) -> None:
        self._events = events
        self._queue = queue
        self._runs = runs
        self._blocks = blocks
        self._on_blocked = on_blocked
        self._made: dict[str, Response] = {}

    async def start(self) -> None:
        """Read from the history which responses there were."""
        async for event in self._events.recorded(SUBJECT):
            self.replay(event)

    def listed(self) -> tuple[Response, ...]:
        """Return all responses, the newest first."""
        return tuple(reversed(self._made.values()))

    async def plan(self, query: str) -> ResponsePlan:
        """Return what could be done about the submissions that match a query."""
        return await response_plan(self._events.log.read, self._queue, query)

    async def carry_out(self, request: ResponseRequest, by: Principal) -> Response:
        """Do what was chosen: the blocks first, so that nothing new starts; then record it.

        It acts where the history takes no records, too: they are made as soon as it does.

        Raises:
            Problem: the principal may not, or nothing was chosen.
        """
        require_responder(by)
        if not (request.stop or request.pause or request.block):
            raise Problem(422, "nothing was chosen", hint="Choose runs to stop or pause, or what to block.")
        made = Response(id=f"r-{secrets.token_hex(4)}", by=by.name, at=datetime.now(UTC), request=request)
        self._made[made.id] = made
        blocking, controlling = self._block(made, by), self._control(request, by)
        problems = [problem for each in await asyncio.gather(blocking, controlling) for problem in each]
        data = {"response": made.id, "made": made.model_dump(mode="json")}
        await self._events.record_soon("response.made", SUBJECT, by.name, data=data)
        return made.with_problems(problems)

    async def undo(self, id: str, by: Principal) -> Response:
        """Remove the blocks of a response that are left, and resume what it paused.

        What was stopped stays stopped, and what was refused meanwhile stays refused.

        Raises:
            Problem: the principal may not, there is none of that id, or it is undone already.
        """
        require_responder(by)
        made = self._made.get(id)
        if made is None or made.undone:
            raise Problem(
                404, f"there is no response {visible(id)} to undo", hint="Type: pratique respond list"
            )
        undone = made.as_undone()
        await self._events.record("response.undone", SUBJECT, by.name, data={"response": id})
        self._made[id] = undone
        problems = [await self._tried(self._blocks.remove, block.id, by) for block in self._of(id)]
        problems += [await self._tried(self._runs.resume, run, by) for run in made.request.pause]
        return undone.with_problems(filter(None, problems))

    def _of(self, id: str) -> list[Block]:
        return [block for block in self._blocks.listed() if block.response == id]

    async def _block(self, made: Response, by: Principal) -> list[str]:
        targets = tuple(dict.fromkeys(made.request.block))
        problems = await asyncio.gather(*(self._block_one(target, made, by) for target in targets))
        if targets:
            await self._on_blocked()
        return list(filter(None, problems))

    async def _block_one(self, target: BlockTarget, made: Response, by: Principal) -> str:
        try:
            await self._blocks.create(target, made.request.hours, made.request.reason, by, made.id)
        except Problem as problem:
            return f"{target.kind} {visible(target.value)}: {problem}"
        return ""

    async def _control(self, request: ResponseRequest, by: Principal) -> list[str]:
        stops = [self._tried(self._runs.stop, run, by) for run in request.stop]
        pauses = [self._tried(self._runs.pause, run, by) for run in request.pause]
        return list(filter(None, await asyncio.gather(*stops, *pauses)))

    async def _tried(self, step: Callable[[str, Principal], Awaitable[None]], id: str, by: Principal) -> str:
        try:
            await step(id, by)
        except Problem as problem:
            return f"{visible(id)}: {problem}"
        return ""

    def replay(self, event: Event) -> None:
        """Take a record into account, of this engine or another one."""
        id = str(event.data["response"])
        if event.type == "response.made":
            self._made[id] = Response.model_validate(event.data["made"])
        elif made := self._made.get(id):
            self._made[id] = made.as_undone()
