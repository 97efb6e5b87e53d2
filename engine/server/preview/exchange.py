"""One request of a browser to a preview, and its response: a connection for each, on both sides."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass

from engine.common.text import Untrusted
from engine.models import PreviewRequest
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort
from engine.sandbox.network.http_head import MalformedHead, read_head
from engine.server.preview.gate import Gate, NotPassed, RequestHead, parsed, path_of
from engine.server.preview.heads import announced_length, entered, refused, request_head, response_head

HEAD_SECONDS = 10.0
ANSWER_SECONDS = 300.0
PIECE = 64 * 1024
SWITCHED = 101
GONE = 499
"""The status in the log where the browser left before the end."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class PreviewExchange:
    """Answers one request; `logged` is what became of it."""

    gate: Gate
    port: GuestPort
    slots: asyncio.Semaphore
    """Connections into the sandbox; more requests wait."""
    logged: PreviewRequest | None = None
    sent: int = 0
    _whole: tuple[int, int | None] = (GONE, None)
    """The status that the browser was sent, and how many bytes of a body were announced."""

    async def serve(self, browser: Streams) -> None:
        """Read a request, answer it, and close the connection."""
        reader, writer = browser
        began = time.monotonic()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            try:
                async with asyncio.timeout(HEAD_SECONDS):
                    head = await read_head(reader)
            except MalformedHead as error:
                return await _end(writer, refused(NotPassed(400, str(error))))
            if head:
                status = await self._answer(parsed(head), browser)
                self._log(parsed(head), status, time.monotonic() - began)
            await _end(writer, b"")
        return None

    async def _answer(self, head: RequestHead, browser: Streams) -> int:
        if not self.gate.misdirected(head) and self.gate.takes_ticket(head):
            browser[1].write(entered(self.gate.secret))
            return 303
        if refusal := self.gate.refusal(head):
            browser[1].write(refused(refusal))
            return refusal.status
        async with self.slots:
            return await self._connect_and_pass_on(head, browser)

    async def _connect_and_pass_on(self, head: RequestHead, browser: Streams) -> int:
        try:
            connection = self.port.connect(request_head(head))
            guest = await asyncio.open_unix_connection(sock=connection, limit=PIECE)
        except (SandboxUnavailable, OSError):
            return self._unanswered(browser[1])
        answering = asyncio.create_task(self._pass_on(head, browser[1], guest))
        asking = asyncio.create_task(_copy_body(browser[0], guest[1], head))
        try:
            await asyncio.wait({answering, asking}, return_when=asyncio.FIRST_COMPLETED)
            return await answering if answering.done() else self._left()
        finally:
            for task in (answering, asking):
                task.cancel()
            guest[1].transport.abort()

    def _left(self) -> int:
        """Return the status of a request whose browser left: it may have had all of the answer by then."""
        status, length = self._whole
        return status if length is not None and self.sent >= length else GONE

    def _unanswered(self, writer: asyncio.StreamWriter) -> int:
        writer.write(refused(NotPassed(502, "no server answers on this port of the sandbox")))
        return 502

    async def _pass_on(self, head: RequestHead, writer: asyncio.StreamWriter, guest: Streams) -> int:
        """Copy the response until the guest ends it."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                status, answered = response_head(await _final_head(guest[0]), self.gate.host)
            if status == SWITCHED and not head.upgrades:
                return self._unanswered(writer)
        except (MalformedHead, ValueError, OSError, TimeoutError):
            return self._unanswered(writer)
        self._whole = status, 0 if head.method == b"HEAD" else announced_length(answered)
        writer.write(answered)
        with contextlib.suppress(OSError):
            await self._copy(guest[0], writer)
        return status

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(PIECE):
            self.sent += len(data)
            writer.write(data)
            await writer.drain()

    def _log(self, head: RequestHead, status: int, seconds: float) -> None:
        self.logged = PreviewRequest(
            method=Untrusted(head.method[:16].decode("ascii", "replace")),
            path=Untrusted(path_of(head.target)),
            status=status,
            size=self.sent,
            seconds=round(seconds, 4),
        )


async def _final_head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of the response; what only announces one is left out. Raises MalformedHead."""
    while head := await read_head(reader):
        if not head.split(b" ", 2)[1].startswith(b"1") or head.split(b" ", 2)[1] == b"101":
            return head
    raise MalformedHead("there is no response")


async def _copy_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: RequestHead) -> None:
    """Copy the body and not a byte after it, or all of a WebSocket; return once the browser is gone."""
    left = head.length
    with contextlib.suppress(OSError):
        while data := await reader.read(PIECE):
            passed = data if head.upgrades else data[:left]
            left -= len(passed)
            if passed:
                writer.write(passed)
                await writer.drain()


async def _end(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
    writer.close()
    await writer.wait_closed()
