"""HTTP/1.1 with bounds for time, memory and connections; errors are answered as problems."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from engine.common.errors import Problem
from engine.server.http.connections.registry import Connection
from engine.server.http.connections.write_buffers import StalledReader, WriteBuffers
from engine.server.http.problems import MEDIA_TYPE, problem_response

KEEP_ALIVE_SECONDS = 60.0
"""Longer than clients keep an idle connection (5 s): none is closed under a request on its way."""
REFUSED_SECONDS = 5.0
"""How long a connection is kept whose request was not authenticated."""
HEAD_SECONDS = 10.0
"""How long the head of a request may take, or the first byte of a connection's first."""
LINGER_SECONDS = 5.0
"""How long an answered client may take to send the rest of its request, or to read the end of the answer."""
HEAD_BYTES = 64 * 1024
"""What a request may have outside its body: its head, the framing of chunks, trailers."""
WRITE_BUFFER = 32 * 1024
"""Bytes that may wait for a reader before the writer has to wait."""
REQUEST_CONNECTION = "pratique.connection"


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection: each wait for the client ends in bounded time."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        connection: Connection,
        buffers: WriteBuffers,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._connection = connection
        self._buffers = buffers
        self._stalled: StalledReader | None = None
        self._timeout: asyncio.TimerHandle | None = None
        self._overhead = self._fresh = 0
        self._receiving = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout of the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        self._connection.drop = transport.abort
        self._limit(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Parse data, unless a request has too many bytes outside its body."""
        self._fresh = len(data)
        super().data_received(data)
        self._overhead += self._fresh
        if self._overhead > HEAD_BYTES and not self.transport.is_closing():
            problem = Problem(431, f"a request has at most {HEAD_BYTES} bytes outside its body")
            self._refuse("431 Request Header Fields Too Large", problem)

    def on_message_begin(self) -> None:
        """Restart the timeout for the next request."""
        self._overhead = 0
        self._receiving = True
        self._limit(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop the timeout: the head of the request is complete."""
        self._limit(None)
        super().on_headers_complete()
        self.cycle.scope[REQUEST_CONNECTION] = RequestConnection(self, self.cycle)  # type: ignore[literal-required]

    def on_body(self, body: bytes) -> None:
        """Leave the body out of the count: the middleware limits it."""
        self._fresh -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is complete, so that the next one may be waited for."""
        self._receiving = False
        super().on_message_complete()
        if self.cycle.response_complete and not self.pipeline:
            self._await_next()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of this one, for a bounded time."""
        pipelined = bool(self.pipeline)
        super().on_response_complete()
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            self.close()
        elif self._receiving and not pipelined:
            self._limit(LINGER_SECONDS)
        elif not pipelined:
            self._await_next()

    def pause_writing(self) -> None:
        """Watch a reader that is behind."""
        super().pause_writing()
        self._stalled = self._stalled or StalledReader(self._buffers, self.transport)

    def resume_writing(self) -> None:
        """Stop watching: the reader has caught up."""
        super().resume_writing()
        self._caught_up()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeouts, and give the place back."""
        self._limit(None)
        self._caught_up()
        super().connection_lost(exc)
        self._connection.close()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse("400 Bad Request", Problem(400, "this is not a valid HTTP request"))

    def authenticated(self) -> None:
        """Keep the connection: a request on it was authenticated."""
        self._connection.begin()

    def close(self) -> None:
        """Close the connection, for a reader that does not read its end by force."""
        self.transport.close()
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _await_next(self) -> None:
        self._connection.end()
        self._limit(KEEP_ALIVE_SECONDS if self._connection.authenticated else REFUSED_SECONDS)

    def _limit(self, seconds: float | None) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
        self._timeout = None if seconds is None else self.loop.call_later(seconds, self.close)

    def _caught_up(self) -> None:
        if self._stalled is not None:
            self._stalled.end()
            self._stalled = None

    def _refuse(self, status: str, problem: Problem) -> None:
        self.transport.write(raw_response(status, problem))
        self.close()


class RequestConnection:
    """What the application tells the connection of one of its requests."""

    def __init__(self, protocol: BoundedHttpProtocol, cycle: RequestResponseCycle) -> None:
        self._protocol = protocol
        self._cycle = cycle

    def authenticated(self) -> None:
        """Keep the connection as long as this request is answered."""
        self._protocol.authenticated()

    def break_off(self) -> None:
        """Close the connection: the application hears that nobody reads; what it still sends is dropped."""
        self._cycle.disconnected = True
        self._cycle.message_event.set()
        self._protocol.close()

    def end_stream(self, line: bytes) -> None:
        """End a streamed response with a last line and close, without waiting for the reader."""
        self._cycle.disconnected = True
        chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(line), line) if self._cycle.chunked_encoding else line
        self._protocol.transport.write(chunk)
        self._protocol.close()


def connection_of(scope: Scope) -> RequestConnection | None:
    """Return the connection of a request; None where another server than ours received it."""
    found = scope.get(REQUEST_CONNECTION)
    return found if isinstance(found, RequestConnection) else None


def raw_response(status: str, problem: Problem) -> bytes:
    """Return a problem as the last response of a connection, head and all."""
    body = bytes(problem_response(problem).body)
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
