"""What every request passes first: its size is bounded, and that it came is noticed."""

from __future__ import annotations

import time

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.doors.answers import answer
from engine.problem import Problem
from engine.text import visible

LOCAL = frozenset({"engine", "localhost", "127.0.0.1", "[::1]"})
"""The names that clients on this machine call the engine by."""


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, max_bytes: int, hosts: frozenset[str] = LOCAL) -> None:
        self._app = app
        self._hosts = hosts
        self._max_bytes = max_bytes
        self._under_way = 0
        self._last = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last request ended; 0 while one is under way."""
        return 0.0 if self._under_way else time.monotonic() - self._last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer 421 or 403 to a stranger, 413 once its body is over the bound."""
        self._under_way += 1
        try:
            if stranger := self._stranger(scope):
                await answer(stranger)(scope, receive, send)
            else:
                await self._pass_on(scope, receive, send)
        finally:
            self._under_way -= 1
            self._last = time.monotonic()

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(receive, self._max_bytes)
        await self._app(scope, body.receive, body.unless_too_large(send))
        if body.too_large:
            too_large = Problem(413, f"a request is at most {self._max_bytes} bytes")
            await answer(too_large)(scope, receive, send)

    def _stranger(self, scope: Scope) -> Problem | None:
        """Return what is wrong with where a request says it comes from: a browser has no business here."""
        headers = Headers(scope=scope)
        hosts = [_without_port(host) for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return Problem(421, f"no such host here: {visible(', '.join(hosts))[:200] or 'none named'}")
        if "origin" in headers:
            return Problem(403, "requests from web pages are refused")
        return None


def _without_port(host: str) -> str:
    name, _, port = host.lower().rpartition(":")
    return name if name and port.isdigit() else host.lower()


class _Body:
    """The body of one request: over the bound it ends, and what the application answers is dropped."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most
        self.too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        self.too_large = self.too_large or self._left < 0
        return {"type": "http.disconnect"} if self.too_large else message

    def unless_too_large(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if not self.too_large:
                await send(message)

        return sending
