"""Ends what a token opened when the token ends: streams, long polls, leases and MCP requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.common import log
from engine.common.errors import Problem
from engine.models import Token
from engine.server.http.authorization import CALLER, Caller
from engine.server.http.connections.protocol import RequestConnection, connection_of
from engine.server.http.problems import problem_response

ENDED = "this token was revoked, or has expired"


class TokenLifetime:
    """An ASGI application that answers requests of tokens as long as these hold.

    `ended` waits for the end of a token. Then a request that was not answered yet is answered with 401, the
    connection is closed, and what its handler still does is seen by nobody: nothing is cancelled halfway.
    """

    def __init__(self, app: ASGIApp, ended: Callable[[Token], Awaitable[None]]) -> None:
        self._app = app
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        caller, connection = scope.get(CALLER), connection_of(scope)
        if not isinstance(caller, Caller) or caller.token is None or connection is None:
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        watching = asyncio.create_task(self._cut(caller.token, scope, receive, answer, connection))
        try:
            await self._app(scope, receive, answer.send)
        finally:
            watching.cancel()

    async def _cut(
        self, token: Token, scope: Scope, receive: Receive, answer: _Answer, connection: RequestConnection
    ) -> None:
        await self._ended(token)
        log.info("request.ended", client=token.id, reason=ENDED)
        answer.muted = True
        try:
            if not answer.started:
                refusal = problem_response(Problem(401, ENDED), {"connection": "close"})
                await refusal(scope, receive, answer.forward)
        finally:
            connection.break_off()


class _Answer:
    """The answer to a request, of which nothing more is sent once it is muted."""

    def __init__(self, send: Send) -> None:
        self.forward = send
        self.started = False
        self.muted = False

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if not self.muted:
            self.started = True
            await self.forward(message)
