"""Runs: result, output, meters, files; stop, kill, pause, resume."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core import Engine
from engine.models import Meters, OutputChunk, Result, WorkspaceFile
from engine.models.lines import RunLines
from engine.models.observed import RunEffects
from engine.models.snapshot import RunSnapshot
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.ndjson import Accept, LastEventId, ndjson_response, ndjson_stream, output_stream
from engine.server.http.request_body import StrictRoute

BYTES = "application/octet-stream"
ERASED = "Pratique-Erased"
"""The header that names the retention rule by which part of an output was erased."""


def run_routes(engine: Engine) -> APIRouter:
    """Return the routes of runs."""
    router = APIRouter(tags=["Runs"], route_class=StrictRoute)
    _read_routes(router, engine)
    _control_routes(router, engine)
    _file_routes(router, engine)
    return router


def _read_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/runs/{id}", summary="Get the result of a run")
    async def get_result(id: str) -> Result:
        """Return exit code, kill reason, usage and artifacts; 404 until the run has ended."""
        case = await engine.queries.case(id)
        if case.result is None:
            raise Problem(404, f"{id} has not run: it is {case.status}", hint="Ask again when it has ended.")
        return case.result

    @router.get(
        "/runs/{id}/output",
        response_class=StreamingResponse,
        responses=ndjson_response(OutputChunk),
        summary="Stream the output of a run",
    )
    async def stream_output(
        id: str,
        offset: Annotated[int, Query(ge=0)] = 0,
        accept: Accept = "",
        last_event_id: LastEventId = None,
    ) -> StreamingResponse:
        """Stream the output from `offset` bytes on, live until the run ends."""
        case = await engine.queries.case(id)
        rule = await engine.history.has_output(id) if case.result is not None else ""
        start = offset if last_event_id is None else last_event_id
        response = output_stream(engine.queries.output(id, start), accept)
        if rule:
            response.headers[ERASED] = quote(f"part of the output: {visible(rule)}", safe=" :,;/()")
        return response

    @router.get("/runs/{id}/effects", summary="Get the observed effects of a run")
    async def get_effects(id: str) -> RunEffects:
        """Return what the run did so far, beside what was predicted and granted."""
        return await engine.queries.effects(id)

    @router.get("/runs/{id}/lines", summary="Get which lines of a run's code ran")
    async def get_lines(id: str) -> RunLines:
        """Return the lines that ran so far, how often and for how long, as the guest says."""
        return await engine.queries.lines(id)

    @router.get("/runs/{id}/look", summary="Get what a run is doing")
    async def look(id: str) -> RunSnapshot:
        """Return the processes of a running or paused run, what they have open, and its last effects."""
        return await engine.runs.look(id)

    @router.get(
        "/runs/{id}/meters",
        response_class=StreamingResponse,
        responses=ndjson_response(Meters),
        summary="Stream the resource meters of a run",
    )
    async def stream_meters(id: str, accept: Accept = "") -> StreamingResponse:
        """Stream processor, memory and disk use, live until the run ends."""
        await engine.queries.case(id)
        return ndjson_stream(engine.queries.meters(id), accept)


def _control_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/runs/{id}/stop", status_code=204, summary="Stop a run")
    async def stop_run(id: str, by: CurrentPrincipal) -> None:
        """Ask a run to end, and kill it after the grace period."""
        await engine.runs.stop(id, by)

    @router.post("/runs/{id}/kill", status_code=204, summary="Kill a run")
    async def kill_run(id: str, by: CurrentPrincipal) -> None:
        """End a run at once."""
        await engine.runs.kill(id, by)

    @router.post("/runs/{id}/pause", status_code=204, summary="Pause a run")
    async def pause_run(id: str, by: CurrentPrincipal) -> None:
        """Suspend every process of a run."""
        await engine.runs.pause(id, by)

    @router.post("/runs/{id}/resume", status_code=204, summary="Resume a run")
    async def resume_run(id: str, by: CurrentPrincipal) -> None:
        """Continue a paused run."""
        await engine.runs.resume(id, by)


def _file_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/runs/{id}/files", summary="List the files of a running run")
    async def list_run_files(id: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace. Names and sizes are reported by the guest."""
        await engine.queries.case(id)
        return await engine.artifacts.files(id)

    @router.get(
        "/runs/{id}/artifacts/{name:path}",
        response_class=Response,
        responses={200: {"content": {BYTES: {}}}},
        summary="Download an artifact",
    )
    async def download_artifact(id: str, name: str) -> Response:
        """Return a file that the run left, or has while it runs, by its name or its digest."""
        await engine.queries.case(id)
        content = await engine.artifacts.fetch(id, name)
        return Response(content, media_type=BYTES, headers={"content-disposition": "attachment"})
