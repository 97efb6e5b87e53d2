"""The door `/mcp`, which opens when the first agent knocks: an engine without agents does not pay for it."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from engine.common.errors import Problem
from engine.models import Scope as Permit
from engine.server.http.authorization import CALLER, Caller
from engine.server.http.responses import answer
from engine.settings import Settings

PATH = "/mcp"
_LOG = logging.getLogger(__name__)
_ROOM = "engine.server.mcp.over_http"


class Agents:
    """An ASGI application that answers MCP at one path, and hands everything else to another one."""

    def __init__(self, app: ASGIApp, settings: Settings, tasks: asyncio.TaskGroup) -> None:
        self._app = app
        self._settings = settings
        self._tasks = tasks
        self._opening: asyncio.Task[None] | None = None
        self._inside: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope.get("path") != PATH:
            await self._app(scope, receive, send)
        elif not _may_submit(scope.get(CALLER)):
            refused = Problem(403, "this token is not good for that", hint="Use one of the scope submit.")
            await answer(refused)(scope, receive, send)
        else:
            await (await self._opened())(scope, receive, send)

    def close(self) -> None:
        """End every agent's session."""
        if self._opening:
            self._opening.cancel()

    async def _opened(self) -> ASGIApp:
        if self._inside is None:
            self._inside = asyncio.get_running_loop().create_future()
            self._opening = self._tasks.create_task(self._open(self._inside))
        return await asyncio.shield(self._inside)

    async def _open(self, inside: asyncio.Future[ASGIApp]) -> None:
        """Keep the room behind the door open; one that falls takes no engine with it, and is opened anew."""
        try:
            room: Any = await asyncio.to_thread(importlib.import_module, _ROOM)
            async with room.sessions(self._settings) as answers:
                inside.set_result(answers)
                await asyncio.get_running_loop().create_future()
        except Exception:
            _LOG.exception("agents over HTTP cannot be served")
            self._inside = None
            if not inside.done():
                inside.set_exception(Problem(503, "agents cannot be served now", retry_after=5))


def _may_submit(caller: object) -> bool:
    return isinstance(caller, Caller) and bool({Permit.SUBMIT, Permit.ADMIN} & caller.scopes)
