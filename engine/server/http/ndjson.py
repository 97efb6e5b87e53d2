"""Streams of JSON lines (NDJSON), of server-sent events, and of output frames."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Annotated, Any, NamedTuple

from fastapi import Header
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from engine.common.output_frames import FRAMES, encode_frame, encode_line
from engine.models import Event, OutputChunk
from engine.models.api import OutputLine, StreamEnd
from engine.server.http.connections.protocol import RequestConnection, connection_of

NDJSON = "application/x-ndjson"
EVENT_STREAM = "text/event-stream"
READER_SECONDS = 20.0
"""How long a reader may take until the next part of a stream can be written."""
TOO_SLOW = "the stream was read too slowly"
SCHEMA = "#/components/schemas/{model}"

Accept = Annotated[str, Header(include_in_schema=False)]
LastEventId = Annotated[
    int | None,
    Header(ge=0, le=1 << 62, description="The id of the last server-sent event, to go on after it."),
]
Responses = dict[int | str, dict[str, Any]]


class StreamPart(NamedTuple):
    """A part of a stream, and the parameter with which a request goes on after it."""

    data: bytes
    resume: Mapping[str, int]


class ClosingStream(StreamingResponse):
    """A stream that closes its source, however it ends, in the task that sends it.

    A reader that takes too long for a part gets a last line instead, which says from where to go on.
    """

    def __init__(self, parts: AsyncGenerator[StreamPart, None], media_type: str) -> None:
        super().__init__(iter(()), media_type=media_type)
        self._parts = parts
        self._connection: RequestConnection | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        self._connection = connection_of(scope)
        await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        """Send the stream and close its source."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        resume: Mapping[str, int] = {}
        async with contextlib.aclosing(self._parts) as parts:
            async for part in parts:
                try:
                    async with asyncio.timeout(READER_SECONDS):
                        await send({"type": "http.response.body", "body": part.data, "more_body": True})
                except TimeoutError:
                    return self._interrupt(resume)
                resume = part.resume or resume
        return await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _interrupt(self, resume: Mapping[str, int]) -> None:
        end = StreamEnd(interrupted=TOO_SLOW, resume=dict(resume))
        if self._connection is not None:
            line = end.model_dump_json().encode() + b"\n"
            self._connection.end_stream(
                _server_sent("interrupted", line) if self.media_type == EVENT_STREAM else line
            )


def ndjson_stream(items: AsyncGenerator[BaseModel, None], accepted: str = "") -> ClosingStream:
    """Return a stream of items: server-sent events if accepted by name, otherwise JSON lines."""
    if EVENT_STREAM in accepted:
        return ClosingStream(_server_sent_events(_lines(items)), EVENT_STREAM)
    return ClosingStream(_lines(items), NDJSON)


def output_stream(chunks: AsyncGenerator[OutputChunk, None], accepted: str) -> ClosingStream:
    """Return a stream of output: frames or server-sent events if accepted by name, otherwise JSON lines."""
    if FRAMES in accepted:
        return ClosingStream(_encoded(chunks, encode_frame), FRAMES)
    if EVENT_STREAM in accepted:
        return ClosingStream(_server_sent_events(_encoded(chunks, encode_line)), EVENT_STREAM)
    return ClosingStream(_encoded(chunks, encode_line), NDJSON)


def ndjson_response(model: type[BaseModel]) -> Responses:
    """Return the OpenAPI description of a stream of a model."""
    content = {"$ref": SCHEMA.format(model=model.__name__)}
    schema = {"type": "string", "contentMediaType": "application/json", "contentSchema": content}
    return {
        200: {
            "description": f"One {model.__name__} as JSON a line.",
            "content": {NDJSON: {"schema": schema}, EVENT_STREAM: {"schema": {"type": "string"}}},
        }
    }


async def _encoded(
    chunks: AsyncGenerator[OutputChunk, None], encode: Callable[[OutputChunk], bytes]
) -> AsyncGenerator[StreamPart, None]:
    async with contextlib.aclosing(chunks):
        async for chunk in chunks:
            yield StreamPart(encode(chunk), {"offset": chunk.offset + len(chunk.data)})


async def _lines(items: AsyncGenerator[BaseModel, None]) -> AsyncGenerator[StreamPart, None]:
    async with contextlib.aclosing(items):
        async for item in items:
            line = item.model_dump_json(exclude_none=isinstance(item, OutputLine)).encode() + b"\n"
            yield StreamPart(line, {"since": item.seq} if isinstance(item, Event) else {})


async def _server_sent_events(parts: AsyncGenerator[StreamPart, None]) -> AsyncGenerator[StreamPart, None]:
    """Yield JSON lines as events: each has as its id where a request goes on; the last is named `end`."""
    async with contextlib.aclosing(parts):
        async for part in parts:
            yield StreamPart(_server_sent("", part.data, *part.resume.values()), part.resume)
    yield StreamPart(_server_sent("end", b"{}\n"), {})


def _server_sent(name: str, line: bytes, *id: int) -> bytes:
    head = f"event: {name}\n" if name else ""
    head += "".join(f"id: {number}\n" for number in id)
    return head.encode() + b"data: " + line + b"\n"
