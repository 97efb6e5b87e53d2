"""How the HTTP API answers: problems (RFC 9457), and streams of JSON lines (NDJSON)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.types import Send

from engine.common.errors import Problem
from engine.common.output_frames import FRAMES, framed, lined
from engine.common.text import visible
from engine.history.errors import HistoryError
from engine.history.search.filter import FilterError
from engine.models import OutputChunk
from engine.models.api import Answer, Line

NDJSON = "application/x-ndjson"
PROBLEM = "application/problem+json"

REFERENCE = "#/components/schemas/{model}"

Schemas = list[tuple[type[BaseModel], Literal["serialization"]]]
Responses = dict[int | str, dict[str, Any]]


def _named(noun: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=noun.__name__)}


PROBLEMS: Responses = {
    status: {"description": text, "content": {PROBLEM: {"schema": _named(Answer)}}}
    for status, text in (("4XX", "The request cannot be met."), ("5XX", "The engine cannot meet it now."))
}
"""What every operation may answer."""


def answer_problems(app: FastAPI) -> None:
    """Have an application answer every error as a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HistoryError, _of_history)
    app.add_exception_handler(HTTPException, _not_http)
    app.add_exception_handler(Exception, _broken)


def lines_of(noun: type[BaseModel]) -> Responses:
    """Return what the OpenAPI document says of a stream: text, of which each line is a noun as JSON."""
    schema = {"type": "string", "contentMediaType": "application/json", "contentSchema": _named(noun)}
    return {
        200: {"description": f"{noun.__name__}s, a line for each", "content": {NDJSON: {"schema": schema}}}
    }


def describe(app: FastAPI, nouns: Sequence[type[BaseModel]]) -> None:
    """Have the OpenAPI document of an application define these nouns, which its streams and problems name."""
    described = app.openapi

    def document() -> dict[str, Any]:
        made = described()
        every: Schemas = [(Answer, "serialization"), *((noun, "serialization") for noun in nouns)]
        _, schemas = models_json_schema(every, ref_template=REFERENCE)
        made["components"]["schemas"] |= schemas["$defs"]
        return made

    app.openapi = document  # type: ignore[method-assign]


class Stream(StreamingResponse):
    """A stream that ends, whoever ends it, in the task that sends it: what it reads is closed there too."""

    def __init__(self, body: AsyncGenerator[bytes, None], media_type: str) -> None:
        super().__init__(body, media_type=media_type)
        self._body = body

    async def stream_response(self, send: Send) -> None:
        """Send it, and close what is read."""
        async with contextlib.aclosing(self._body):
            await super().stream_response(send)


def stream(items: AsyncGenerator[BaseModel, None]) -> Stream:
    """Return a stream of items, a line for each; a reader that is slow holds up nobody but itself."""
    return Stream(_lines(items), NDJSON)


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a problem as it travels."""
    body = Answer(status=problem.status, title=problem.title, hint=problem.hint)
    if problem.status == 429 or problem.retry_after:
        headers = {**(headers or {}), "Retry-After": f"{math.ceil(problem.retry_after or 60)}"}
    return JSONResponse(body.model_dump(), problem.status, headers=headers, media_type=PROBLEM)


def output(chunks: AsyncGenerator[OutputChunk, None], accepted: str) -> Stream:
    """Return a stream of output, as frames where these are accepted by name and as lines otherwise."""
    if FRAMES in accepted:
        return Stream(_encoded(chunks, framed), FRAMES)
    return Stream(_encoded(chunks, lined), NDJSON)


async def _encoded(
    chunks: AsyncGenerator[OutputChunk, None], encode: Callable[[OutputChunk], bytes]
) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(chunks):
        async for chunk in chunks:
            yield encode(chunk)


async def _lines(items: AsyncGenerator[BaseModel, None]) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(items):
        async for item in items:
            yield item.model_dump_json(exclude_none=isinstance(item, Line)).encode() + b"\n"


async def _problem(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Problem):
        raise error
    return answer(error)


async def _not_http(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return answer(Problem(error.status_code, str(error.detail)), error.headers)


async def _broken(request: Request, error: Exception) -> JSONResponse:
    """Answer what nobody foresaw; the engine's log has the rest."""
    return answer(Problem(500, "the engine failed at that", hint="Look into engine.log: pratique doctor"))


async def _of_history(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HistoryError):
        raise error
    status = 422 if isinstance(error, FilterError) else 503
    return answer(Problem(status, visible(error.title), hint=error.hint))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError | ValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return answer(Problem(422, visible(f"{where or 'the request'}: {first['msg']}"[:500])))
