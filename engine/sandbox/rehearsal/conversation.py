"""Plays the host that a connection was meant for, and keeps what it was sent. All of it is hostile."""

from __future__ import annotations

import asyncio
import contextlib
import re

import h11

from engine.common.text import Untrusted
from engine.models.rehearsal import FindingKind, RehearsalFinding
from engine.sandbox.rehearsal import answers
from engine.sandbox.rehearsal.answers import Bait
from engine.sandbox.rehearsal.record import Exchange, SinkholeRecord

SILENCE = 0.7
"""Seconds after which a client is taken to wait for the host."""
_MOST_SECONDS = 60.0
_PIECE = 64 * 1024
_REQUEST = re.compile(rb"[A-Z]{3,10} \S")
_GREETINGS = {21: b"220 ready\r\n", 25: b"220 mail ESMTP\r\n", 587: b"220 mail ESMTP\r\n",
              465: b"220 mail ESMTP\r\n", 2525: b"220 mail ESMTP\r\n"}  # fmt: skip
"""What servers say first, by port."""


class Conversation:
    """One connection."""

    def __init__(
        self,
        record: SinkholeRecord,
        bait: Bait,
        host: str,
        port: int,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        *,
        encrypted: bool = False,
    ) -> None:
        self._record = record
        self._bait = bait
        self._host = host
        self._port = port
        self._reader, self._writer = streams
        self._encrypted = encrypted

    async def go_through(self) -> None:
        """Answer until the client ends."""
        with contextlib.suppress(OSError, TimeoutError, h11.ProtocolError):
            async with asyncio.timeout(_MOST_SECONDS):
                if self._port in _GREETINGS:
                    await self._lines()
                    return
                first = await self._hear()
                if first and _REQUEST.match(first):
                    await self._http(first)
                else:
                    await self._plain(first)

    async def _hear(self) -> bytes | None:
        """Return what comes next; None where nothing does."""
        try:
            async with asyncio.timeout(SILENCE):
                return await self._reader.read(_PIECE)
        except TimeoutError:
            return None

    # --- HTTP

    async def _http(self, data: bytes) -> None:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_PIECE)
        one: Exchange | None = None
        raw = bytearray()
        try:
            while True:
                connection.receive_data(data)
                raw = (raw + data)[-_PIECE:]
                while True:
                    event = connection.next_event()
                    if event is h11.NEED_DATA or event is h11.PAUSED:
                        break
                    if isinstance(event, h11.Request):
                        one = self._request(event)
                        raw.clear()
                    elif isinstance(event, h11.Data) and one:
                        one.add(bytes(event.data))
                    elif isinstance(event, h11.EndOfMessage) and one:
                        await self._respond(connection, one)
                    elif isinstance(event, h11.ConnectionClosed):
                        return
                if connection.they_are_waiting_for_100_continue:
                    await self._send(connection.send(h11.InformationalResponse(status_code=100, headers=[])))
                data = await self._reader.read(_PIECE)
        except h11.RemoteProtocolError:
            odd = one or self._open("tcp")
            odd.add(bytes(raw))

    def _request(self, event: h11.Request) -> Exchange:
        one = self._open("https" if self._encrypted else "http")
        names = {name.lower(): value for name, value in event.headers}
        one.method, one.path = event.method.decode("latin-1"), event.target.decode("latin-1")
        one.about = b"\n".join((event.target, *(b"%b: %b" % header for header in event.headers)))
        self._accept = names.get(b"accept", b"").decode("latin-1").lower()
        return one

    async def _respond(self, connection: h11.Connection, one: Exchange) -> None:
        kind, body = self._bait.body(one.host, one.path, self._accept)
        size = str(len(body)).encode()
        headers = [(b"content-type", kind.encode()), (b"content-length", size), (b"server", b"nginx")]
        await self._send(connection.send(h11.Response(status_code=200, headers=headers, reason=b"OK")))
        if one.method != "HEAD":
            await self._send(connection.send(h11.Data(data=body)))
        await self._send(connection.send(h11.EndOfMessage()))
        if connection.our_state is h11.MUST_CLOSE:
            self._writer.close()
            return
        if connection.their_state is h11.DONE:
            connection.start_next_cycle()

    # --- lines, and whatever else

    async def _lines(self) -> None:
        """Speak SMTP or FTP, as far as a client needs to hand over what it has."""
        mail = self._port != 21
        table, otherwise = (answers.SMTP, b"250 ok\r\n") if mail else (answers.FTP, b"200 ok\r\n")
        one = self._open("smtp" if mail else "ftp")
        await self._send(_GREETINGS[self._port])
        content = False
        while line := await self._reader.readline():
            one.add(line)
            if content:
                content = line.rstrip() != b"."
                if content:
                    continue
            await self._send(answers.reply(line, table, otherwise))
            content = mail and line[:4].upper() == b"DATA"

    async def _plain(self, data: bytes | None) -> None:
        """Take whatever comes; a client that waits is sent commands, which only a shell executes."""
        one = self._open("tls" if self._encrypted else "tcp")
        asked, heard = False, bytearray()
        while data != b"":
            if data:
                one.add(data)
                heard = (heard + data)[-_PIECE:] if asked else heard
            elif asked:
                data = await self._reader.read(_PIECE)
                continue
            else:
                asked = True
                await self._send(self._bait.command)
            if asked and self._bait.executed(bytes(heard)):
                self._controlled(one)
            data = await self._hear()

    def _controlled(self, one: Exchange) -> None:
        self._record.found(
            RehearsalFinding(
                kind=FindingKind.CONTROLLED,
                subject="commands",
                where=Untrusted(f"{one.host}:{one.port}"),
                contact=one.number,
            )
        )

    def _open(self, protocol: str) -> Exchange:
        return self._record.open(self._host, self._port, protocol)

    async def _send(self, data: bytes | None) -> None:
        if data:
            self._writer.write(data)
            await self._writer.drain()
