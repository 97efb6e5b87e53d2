"""The body of a request: bounded in size, in time, and in how many one caller may leave unfinished."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator

from starlette.types import Message, Receive, Send

from engine.common.errors import Problem

QUIET_SECONDS = 10.0
"""How long a body may pause, and how long any body may take."""
LEAST_BYTES_PER_SECOND = 32 << 10
"""How fast a body has to arrive that takes longer."""
UNFINISHED_EACH = 32
"""Bodies of one caller that may be on their way at once; those that arrive with their heads do not count."""
HELD_REQUESTS = 8
"""The bodies of all callers together may have as many bytes as so many of the largest requests."""


class BodyLimits:
    """What is on its way to one endpoint: bodies by caller, and bytes in all."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._unfinished: Counter[str] = Counter()
        self._bytes = 0

    @contextlib.contextmanager
    def waiting(self, caller: str) -> Iterator[None]:
        """Count a body that is waited for.

        Raises:
            Problem: the caller has too many of them already.
        """
        if self._unfinished[caller] >= UNFINISHED_EACH:
            title = f"{UNFINISHED_EACH} requests of this client have unfinished bodies"
            raise Problem(429, title, hint="Send what is begun before you begin more.", retry_after=1)
        self._unfinished[caller] += 1
        try:
            yield
        finally:
            self._unfinished[caller] -= 1
            if not self._unfinished[caller]:
                del self._unfinished[caller]

    def hold(self, size: int) -> None:
        """Count bytes that are held until their request is answered.

        Raises:
            Problem: the requests that are held are too large together.
        """
        if size > 0 and self._bytes + size > HELD_REQUESTS * self.most_bytes:
            raise Problem(503, "too many large requests at once", hint="Try again soon.", retry_after=1)
        self._bytes += size

    def release(self, size: int) -> None:
        """Stop counting bytes."""
        self._bytes -= size


class BoundedBody:
    """The body of one request. At a limit it ends, and `refusal` takes the place of what is answered."""

    def __init__(self, receive: Receive, limits: BodyLimits, caller: str) -> None:
        self._receive = receive
        self._limits = limits
        self._caller = caller
        self._size = 0
        self._complete = False
        self._begun: float | None = None
        self.refusal: Problem | None = None

    async def receive(self) -> Message:
        """Return the next part of the body; a disconnect where it breaks a limit."""
        if self.refusal:
            return {"type": "http.disconnect"}
        if self._complete:
            return await self._receive()
        try:
            message = await self._next()
            self._take(len(message.get("body", b"")))
        except Problem as problem:
            self.refusal = problem
            return {"type": "http.disconnect"}
        self._complete = not message.get("more_body", False)
        return message

    def unless_refused(self, send: Send) -> Send:
        """Return a `send` that drops what is answered to a refused body."""

        async def sending(message: Message) -> None:
            if not self.refusal:
                await send(message)

        return sending

    def release(self) -> None:
        """Give back what this body holds."""
        self._limits.release(self._size)
        self._size = 0

    async def _next(self) -> Message:
        try:
            with self._limits.waiting(self._caller):
                async with asyncio.timeout_at(self._deadline()):
                    return await self._receive()
        except TimeoutError:
            title = f"the body of the request came slower than {LEAST_BYTES_PER_SECOND >> 10} KiB/s"
            raise Problem(408, title, hint="Send it again, without pauses.") from None

    def _deadline(self) -> float:
        """Return until when the next part has to come, counted from when the body was first asked for."""
        now = asyncio.get_running_loop().time()
        self._begun = now if self._begun is None else self._begun
        whole = self._begun + QUIET_SECONDS + self._size / LEAST_BYTES_PER_SECOND
        return min(now + QUIET_SECONDS, whole)

    def _take(self, size: int) -> None:
        if self._size + size > self._limits.most_bytes:
            raise Problem(
                413,
                f"a request is at most {self._limits.most_bytes} bytes",
                hint="Send less, or raise server.max_request_bytes.",
            )
        self._limits.hold(size)
        self._size += size
