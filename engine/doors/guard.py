"""What every request passes first: its size is bounded, and that it came is noticed."""

from __future__ import annotations

import time

from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.doors.wire import Answer


class _TooLarge(Exception):
    pass


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
        try:
            await self._app(scope, self._counted(receive), send)
        except _TooLarge:
            title = f"a request is at most {self._max_bytes} bytes"
            answer = Answer(status=413, title=title).model_dump()
            await JSONResponse(answer, 413, media_type="application/problem+json")(scope, receive, send)
        finally:
            self._under_way -= 1
            self._last = time.monotonic()

    def _counted(self, receive: Receive) -> Receive:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._max_bytes:
                raise _TooLarge
            return message

        return counted
