"""What every request passes first: its size is bounded, and that it came is noticed."""

from __future__ import annotations

import time

from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.doors.wire import Answer


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._under_way = 0
        self._last = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last request ended; 0 while one is under way."""
        return 0.0 if self._under_way else time.monotonic() - self._last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413 once its body is over the bound."""
        self._under_way += 1
        body = _Body(receive, self._max_bytes)
        try:
            await self._app(scope, body.receive, body.unless_too_large(send))
            if body.too_large:
                await self._refuse(scope, receive, send)
        finally:
            self._under_way -= 1
            self._last = time.monotonic()

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = Answer(status=413, title=f"a request is at most {self._max_bytes} bytes").model_dump()
        await JSONResponse(answer, 413, media_type="application/problem+json")(scope, receive, send)


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
