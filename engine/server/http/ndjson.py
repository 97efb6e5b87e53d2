"""Streams of JSON lines (NDJSON), and of output frames."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.types import Send

from engine.common.output_frames import FRAMES, encode_frame, encode_line
from engine.models import OutputChunk
from engine.models.api import OutputLine, ProblemBody

NDJSON = "application/x-ndjson"
SCHEMA = "#/components/schemas/{model}"

Responses = dict[int | str, dict[str, Any]]


class ClosingStream(StreamingResponse):
    """A stream that closes its source, however it ends, in the task that sends it."""

    def __init__(self, body: AsyncGenerator[bytes, None], media_type: str) -> None:
        super().__init__(body, media_type=media_type)
        self._body = body

    async def stream_response(self, send: Send) -> None:
        """Send the stream and close its source."""
        async with contextlib.aclosing(self._body):
            await super().stream_response(send)


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
    every: list[type[BaseModel]] = [ProblemBody, *models]
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
) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(chunks):
        async for chunk in chunks:
            yield encode(chunk)


async def _lines(items: AsyncGenerator[BaseModel, None]) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(items):
        async for item in items:
            yield item.model_dump_json(exclude_none=isinstance(item, OutputLine)).encode() + b"\n"
