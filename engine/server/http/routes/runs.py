"""The part of the HTTP API that shows runs, and stops, kills, freezes and thaws them."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import StreamingResponse

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core import Engine
from engine.models import Meters, OutputChunk, Result, WorkspaceFile
from engine.server.http.authorization import Owner
from engine.server.http.responses import lines_of, stream
from engine.server.http.responses import output as written

BYTES = "application/octet-stream"
ERASED = "Pratique-Erased"
"""The header that says by which rule of retention part of an output is missing."""


def steering(app: FastAPI, engine: Engine) -> None:
    """Add runs to an application."""
    _files(app, engine)

    @app.get("/runs/{id}")
    async def result(id: str) -> Result:
        case = await engine.queries.case(id)
        if case.result is None:
            raise Problem(404, f"{id} has not run: it is {case.status}", hint="Ask again when it is over.")
        return case.result

    @app.get("/runs/{id}/output", response_class=StreamingResponse, responses=lines_of(OutputChunk))
    async def output(id: str, request: Request, offset: Annotated[int, Query(ge=0)] = 0) -> StreamingResponse:
        case = await engine.queries.case(id)
        rule = await engine.archive.has_output(id) if case.result is not None else ""
        answer = written(engine.queries.output(id, offset), request.headers.get("accept", ""))
        if rule:
            answer.headers[ERASED] = quote(f"part of the output: {visible(rule)}", safe=" :,;/()")
        return answer

    @app.get("/runs/{id}/meters", response_class=StreamingResponse, responses=lines_of(Meters))
    async def meters(id: str) -> StreamingResponse:
        await engine.queries.case(id)
        return stream(engine.queries.meters(id))

    @app.post("/runs/{id}/stop", status_code=204)
    async def stop(id: str, by: Owner) -> None:
        await engine.runs.stop(id, by)

    @app.post("/runs/{id}/kill", status_code=204)
    async def kill(id: str, by: Owner) -> None:
        await engine.runs.kill(id, by)

    @app.post("/runs/{id}/freeze", status_code=204)
    async def pause(id: str, by: Owner) -> None:
        await engine.runs.pause(id, by)

    @app.post("/runs/{id}/thaw", status_code=204)
    async def resume(id: str, by: Owner) -> None:
        await engine.runs.resume(id, by)


def _files(app: FastAPI, engine: Engine) -> None:
    @app.get("/runs/{id}/files")
    async def files(id: str) -> tuple[WorkspaceFile, ...]:
        await engine.queries.case(id)
        return await engine.artifacts.files(id)

    @app.get(
        "/runs/{id}/artifacts/{name:path}", response_class=Response, responses={200: {"content": {BYTES: {}}}}
    )
    async def artifact(id: str, name: str) -> Response:
        await engine.queries.case(id)
        content = await engine.artifacts.fetch(id, name)
        return Response(content, media_type=BYTES, headers={"content-disposition": "attachment"})
