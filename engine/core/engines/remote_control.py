"""Stops, kills, pauses and resumes runs on other engines: a signed call, which their record answers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.history.api import Engines
from engine.models import FrozenModel, Principal

ANSWER_SECONDS = 5.0
"""How long a call to another engine waits for its answer."""
Act = Literal["stop", "kill", "pause", "resume"]
Control = Callable[[str, Principal], Awaitable[None]]


class Call(FrozenModel):
    """What one engine asks of another, or answers."""

    id: str
    to: str
    origin: str
    run: str
    by: Principal
    act: Act | None = None
    """None: it is the answer."""
    problem: str = ""
    """Why it was not done."""

    def answer(self, problem: str) -> Call:
        """Return the answer to the engine that asked; no problem: it was done."""
        return self._with(to=self.origin, origin=self.to, act=None, problem=problem[:1000])


_CALL = TypeAdapter(Call)


class RemoteControl:
    """Calls other engines about runs, and answers their calls about runs here."""

    def __init__(self, engines: Engines, supervisor: Supervisor) -> None:
        self._engines = engines
        self._supervisor = supervisor
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self.controls: dict[str, Control] = {}
        """By act: what does it to a run that is here."""

    async def call(self, act: Act, run: str, by: Principal) -> None:
        """Have another engine do something to a run that it has.

        Raises:
            Problem: it does not answer (503), or says why it did not (409).
        """
        place = (await self._engines.places()).get(run, "")
        call = Call(id=secrets.token_hex(8), to=place, origin=self._engines.name, run=run, by=by, act=act)
        answer = self._waiting[call.id] = asyncio.get_running_loop().create_future()
        try:
            await self._send(call)
            async with asyncio.timeout(ANSWER_SECONDS):
                problem = await answer
        except TimeoutError:
            what = f"the engine {place}, which runs {run}, does not answer"
            raise Problem(503, what, hint="Type: pratique doctor", retry_after=5) from None
        finally:
            self._waiting.pop(call.id, None)
        if problem:
            raise Problem(409, problem)

    def receive(self, text: str) -> None:
        """Take a call or an answer from the other engines; what is not signed by one is left."""
        try:
            call = _CALL.validate_json(self._engines.opened(text))
        except ValidationError:
            return
        if call.to != self._engines.name:
            return
        if call.act is None:
            if (waiting := self._waiting.get(call.id)) and not waiting.done():
                waiting.set_result(call.problem)
            return
        self._supervisor.start("calls", lambda: self._answer(call))

    async def _answer(self, call: Call) -> None:
        problem = ""
        try:
            await self.controls[str(call.act)](call.run, call.by)
        except Problem as error:
            problem = str(error)
        await self._send(call.answer(problem))

    async def _send(self, call: Call) -> None:
        await self._engines.call(call.model_dump_json())
