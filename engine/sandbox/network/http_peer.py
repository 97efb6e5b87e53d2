"""One side of an HTTP exchange. h11 reads and writes the protocol; nothing is parsed by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import h11

from engine.sandbox.network.http_head import Headers, read_head

Role = type[h11.SERVER] | type[h11.CLIENT]
Event = h11.Event | type[h11.PAUSED] | type[h11.NEED_DATA]

_HEAD_BYTES = 64 * 1024
PIECE = 64 * 1024
_NOT_FORWARDED = {
    b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"proxy-connection", b"proxy-authorization",
    b"proxy-authenticate", b"host", b"expect", b"content-length", b"transfer-encoding",
}  # fmt: skip
"""Headers for the next hop only (RFC 9110, 7.6.1), and those that the proxy writes itself."""
_BEFORE_HEAD = {h11.IDLE, h11.SEND_RESPONSE}


def _unmetered(size: int) -> None:
    """Count nothing."""


class Peer:
    """An HTTP/1.1 connection; `spend` is called with the size of all data before it is processed."""

    def __init__(
        self,
        role: Role,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        spend: Callable[[int], None] = _unmetered,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self._http = h11.Connection(role, max_incomplete_event_size=_HEAD_BYTES)
        self._spend = spend

    async def receive(self) -> Event:
        """Return the next event. Raises h11.RemoteProtocolError, OSError."""
        if self._http.their_state in _BEFORE_HEAD:
            head = await read_head(self.reader)
            self._spend(len(head))
            self._http.receive_data(head)
            return self._http.next_event()
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            data = await self.reader.read(PIECE)
            self._spend(len(data))
            self._http.receive_data(data)
        return event

    async def send(self, event: h11.Event) -> None:
        """Send an event. Raises h11.LocalProtocolError, OSError."""
        data = self._http.send(event)
        if data:
            self._spend(len(data))
            self.writer.write(data)
            await self.writer.drain()

    async def refuse(self, status: int, why: str) -> None:
        """Send an error response of the proxy, if a response can still be sent."""
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE} or self._http.our_role is h11.CLIENT:
            return
        body = f"pratique: {why}\n".encode()
        head = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body)))]
        await self.send(
            h11.Response(status_code=status, headers=[*head, ("connection", "close")], reason=b"Refused")
        )
        await self.send(h11.Data(data=body))
        await self.send(h11.EndOfMessage())


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers to forward, without Host and framing, with `Connection: close`."""
    headers = [(name.lower(), value) for name, value in headers]
    named = {
        token.strip().lower()
        for name, value in headers
        if name == b"connection"
        for token in value.split(b",")
    }
    drop = _NOT_FORWARDED | named
    kept = [(name, value) for name, value in headers if name.replace(b"_", b"-") not in drop]
    return [*kept, (b"connection", b"close")]
