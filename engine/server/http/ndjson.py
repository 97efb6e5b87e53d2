"""Streams of JSON lines (NDJSON), and of output frames."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.types import Receive, Scope, Send

from engine.common.output_frames import FRAMES, encode_frame, encode_line
from engine.models import Event, OutputChunk
from engine.models.api import OutputLine, ProblemBody, StreamEnd
from engine.server.http.connections.protocol import RequestConnection, connection_of

NDJSON = "application/x-ndjson"
READER_SECONDS = 20.0
"""How long a reader may take until the next part of a stream can be written."""
TOO_SLOW = "the stream was read too slowly"
SCHEMA = "#/components/schemas/{model}"

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
            self._connection.end_stream(end.model_dump_json().encode() + b"\n")


def ndjson_stream(items: AsyncGenerator[BaseModel, None]) -> ClosingStream:
    """Return a stream of items, one JSON object a line."""
    return ClosingStream(_lines(items), NDJSON)


def output_stream(chunks: AsyncGenerator[OutputChunk, None], accepted: str) -> ClosingStream:
    """Return a stream of output: frames if the client accepts them by name, otherwise JSON lines."""
    if FRAMES in accepted:
        return ClosingStream(_encoded(chunks, encode_frame), FRAMES)
    return ClosingStream(_encoded(chunks, encode_line), NDJSON)


def ndjson_response(model: type[BaseModel]) -> Responses:
    """Return the OpenAPI description of a stream of a model."""
    content = {"$ref": SCHEMA.format(model=model.__name__)}
    schema = {"type": "string", "contentMediaType": "application/json", "contentSchema": content}
    return {
        200: {
            "description": f"One {model.__name__} as JSON a line.",
            "content": {NDJSON: {"schema": schema}},
        }
    }


def add_schemas(app: FastAPI, models: Sequence[type[BaseModel]]) -> None:
    """Add the models that only streams and problems contain to the OpenAPI document."""
    build = app.openapi
    every: list[type[BaseModel]] = [ProblemBody, StreamEnd, *models]
    modes: list[tuple[type[BaseModel], Literal["serialization"]]] = [
        (model, "serialization") for model in every
    ]

    def openapi() -> dict[str, Any]:
        document = build()
        _, schemas = models_json_schema(modes, ref_template=SCHEMA)
        document["components"]["schemas"] |= schemas["$defs"]
        return document

    app.openapi = openapi  # type: ignore[method-assign]


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
