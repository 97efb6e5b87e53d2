"""The `/mcp` endpoint. Its first request loads it: an engine without agents does not need the library."""

from __future__ import annotations

import asyncio
import importlib
from functools import partial
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from engine.common import log
from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.models import Scope as Permit
from engine.server.http.authorization import CALLER, Caller
from engine.server.http.problems import problem_response
from engine.server.mcp.session_holders import SessionHolders
from engine.server.mcp.stdio.link import CONNECTIONS
from engine.settings import Settings

PATH = "/mcp"
_CREATE = "Type: pratique token create NAME --scope submit"
_MODULE = "engine.server.mcp.http_sessions"


class McpMount:
    """An ASGI application that serves MCP at one path, and another application everywhere else."""

    def __init__(self, app: ASGIApp, settings: Settings, supervisor: Supervisor) -> None:
        self._app = app
        self._settings = settings
        self._supervisor = supervisor
        self._task: asyncio.Task[None] | None = None
        self._application: asyncio.Future[ASGIApp] | None = None
        self._sessions = SessionHolders()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = str(scope.get("path", ""))
        if path.startswith(CONNECTIONS):
            await self._connect(scope, receive, send)
        elif path != PATH:
            await self._app(scope, receive, send)
        elif not _may_submit(scope.get(CALLER)):
            refused = Problem(403, "MCP over HTTP needs a token that may submit", hint=_CREATE)
            await problem_response(refused)(scope, receive, send)
        elif not self._sessions.may_use(scope):
            unknown = Problem(404, "this token has no such MCP session", hint="Initialize a new one.")
            await problem_response(unknown)(scope, receive, send)
        else:
            await (await self._started())(scope, receive, self._sessions.noting(scope, send))

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve an agent over stdio: by its token, or by the secret of its connection."""
        caller = scope.get(CALLER)
        if _may_submit(caller) or (isinstance(caller, Caller) and caller.agent):
            await (await self._started())(scope, receive, send)
            return
        refused = Problem(403, "a connection of an agent needs a token that may submit", hint=_CREATE)
        await problem_response(refused)(scope, receive, send)

    def close(self) -> None:
        """End every agent's session."""
        if self._task:
            self._task.cancel()

    async def _started(self) -> ASGIApp:
        if self._application is None:
            self._application = asyncio.get_running_loop().create_future()
            self._task = self._supervisor.start("mcp", partial(self._run, self._application))
        return await asyncio.shield(self._application)

    async def _run(self, application: asyncio.Future[ASGIApp]) -> None:
        """Serve MCP until cancelled; after a failure the next request starts it again."""
        try:
            module: Any = await asyncio.to_thread(importlib.import_module, _MODULE)
            async with module.serve_sessions(self._settings) as app:
                application.set_result(app)
                await asyncio.get_running_loop().create_future()
        except Exception as error:
            reference = log.internal_error(error, "mcp")
            self._application = None
            if not application.done():
                application.set_exception(Problem.internal(reference))


def _may_submit(caller: object) -> bool:
    """Return whether a caller has a token that may submit; the socket alone tells no agents apart."""
    return isinstance(caller, Caller) and bool(caller.token and {Permit.SUBMIT, Permit.ADMIN} & caller.scopes)
