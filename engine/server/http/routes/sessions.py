"""Sessions, with the paths and the streams of common sandbox servers.

Each call in a session is a submission of its own. One that is pending is answered with 202, its id and the
path of its response; `within` seconds may be waited first.
"""

from __future__ import annotations

import asyncio
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core import Engine
from engine.models import Case, OperationKind, Principal, Session, Status, Stream
from engine.models.api import CreateSession, ExecuteRequest, InstallPackagesRequest, OutputLine, PendingCall
from engine.server.http.authorization import VERSION, CurrentCaller
from engine.server.http.ndjson import Responses, ndjson_response, ndjson_stream
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute
from engine.server.http.session_output import END_SECONDS, failure_reason, output_lines

MAX_WITHIN = 60.0
POLL_SECONDS = 0.1

Within = Annotated[float, Query(ge=0, le=MAX_WITHIN, description="Seconds to wait for a decision first.")]
PENDING: Responses = {
    202: {"model": PendingCall, "description": "The call is pending: get its response at `location`."}
}
BYTES: Responses = {**PENDING, 200: {"content": {"application/octet-stream": {}}}}


async def _session_owner(
    by: CurrentCaller,
    pratique_requester: Annotated[
        str, Header(description="Over the Unix socket: the name of the agent that asks, percent-encoded.")
    ] = "",
) -> Principal:
    return by.requester(Untrusted(unquote(pratique_requester)))


SessionOwner = Annotated[Principal, Depends(_session_owner)]


def session_routes(engine: Engine) -> APIRouter:
    """Return the routes of sessions."""
    router = APIRouter(tags=["Sessions"], route_class=StrictRoute)
    responses = CallResponses(engine)
    _lifecycle_routes(router, engine)
    _execution_routes(router, engine, responses)
    _file_routes(router, engine, responses)
    return router


def _lifecycle_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/sessions", status_code=201, summary="Create a session")
    async def create_session(by: SessionOwner, body: CreateSession | None = None) -> Session:
        """Create a session: a sandbox that keeps its state between executions. It starts on first use."""
        wanted = body or CreateSession()
        return await engine.sessions.create(by, wanted.language, wanted.image)

    @router.get("/sessions", responses=LINK, summary="List your sessions")
    async def list_sessions(by: SessionOwner, page: CurrentPage) -> tuple[Session, ...]:
        """Return your open sessions, the oldest first."""
        return page.of(engine.sessions.list_open(by), lambda session: session.id)

    @router.get("/sessions/{id}", summary="Get a session")
    async def get_session(id: str, by: SessionOwner) -> Session:
        """Return one of your sessions."""
        return engine.sessions.get(id, by)

    @router.delete("/sessions/{id}", summary="Close a session")
    async def close_session(id: str, by: SessionOwner) -> Session:
        """Close a session at once, and kill what runs in it."""
        return await engine.sessions.close(id, by)


def _execution_routes(router: APIRouter, engine: Engine, responses: CallResponses) -> None:
    streamed: Responses = {**PENDING, **ndjson_response(OutputLine)}

    @router.post(
        "/sessions/{id}/execute", response_class=Response, responses=streamed, summary="Execute code"
    )
    async def execute(id: str, body: ExecuteRequest, by: SessionOwner, within: Within = 0) -> Response:
        """Submit code to run in a session, and stream its output once it is approved."""
        case = await engine.sessions.execute(
            id,
            by,
            body.code.text,
            purpose=body.purpose.text,
            files=body.files,
            permissions=body.permissions,
            expect=body.expect,
            verify=body.verify,
        )
        return await responses.of(case, within)

    @router.post(
        "/sessions/{id}/packages", response_class=Response, responses=streamed, summary="Install packages"
    )
    async def install_packages(
        id: str, body: InstallPackagesRequest, by: SessionOwner, within: Within = 0
    ) -> Response:
        """Submit packages to install for the executions that follow."""
        case = await engine.sessions.install(id, by, body.packages, body.builds)
        return await responses.of(case, within)

    @router.get(
        "/sessions/{id}/calls/{call}",
        response_class=Response,
        responses={**BYTES, **PENDING},
        summary="Get the response of a pending call",
    )
    async def get_call(id: str, call: str, by: SessionOwner, within: Within = 0) -> Response:
        """Return what the call would have returned without a review; 202 while it is pending."""
        engine.sessions.get(id, by)
        case = await engine.queries.case(call)
        if case.submission.draft.session != id or not case.submission.requester.is_same(by):
            raise Problem(404, f"no call {visible(call)[:64]} in session {id}")
        return await responses.of(case, within)


def _file_routes(router: APIRouter, engine: Engine, responses: CallResponses) -> None:
    @router.get("/sessions/{id}/files", response_class=Response, responses=PENDING, summary="List files")
    async def list_files(id: str, by: SessionOwner, path: str = "", within: Within = 0) -> Response:
        """List a folder below `/workspace`."""
        return await responses.of(await engine.sessions.list_files(id, by, path), within)

    @router.get(
        "/sessions/{id}/files/{path:path}", response_class=Response, responses=BYTES, summary="Read a file"
    )
    async def read_file(id: str, path: str, by: SessionOwner, within: Within = 0) -> Response:
        """Return the bytes of a file."""
        return await responses.of(await engine.sessions.read_file(id, by, path), within)

    @router.put(
        "/sessions/{id}/files/{path:path}",
        response_class=Response,
        responses=PENDING,
        status_code=204,
        summary="Write a file",
    )
    async def write_file(
        id: str, path: str, request: Request, by: SessionOwner, executable: bool = False, within: Within = 0
    ) -> Response:
        """Write the request body to a file."""
        content = await request.body()
        case = await engine.sessions.write_file(id, by, path, content, executable=executable)
        return await responses.of(case, within)

    @router.delete(
        "/sessions/{id}/files/{path:path}",
        response_class=Response,
        responses=PENDING,
        status_code=204,
        summary="Remove a file",
    )
    async def remove_file(id: str, path: str, by: SessionOwner, within: Within = 0) -> Response:
        """Remove a file."""
        return await responses.of(await engine.sessions.remove_file(id, by, path), within)


class CallResponses:
    """Builds the response of a call in a session, by what the call does."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def of(self, case: Case, within: float) -> Response:
        """Return the response of a call; 202 if it is still pending after `within` seconds.

        Raises:
            Problem: the call was not approved, or it failed.
        """
        case = await self._wait_for_decision(case.submission.id, within)
        if case.status is Status.PENDING:
            return _pending(case)
        operation = case.submission.draft.operation
        if operation is None or operation.kind is OperationKind.INSTALL:
            return ndjson_stream(output_lines(self._engine, case.submission.id))
        case = await self._engine.queries.finished(case.submission.id, END_SECONDS)
        if error := failure_reason(case):
            raise Problem(_status_of(case), await self._reason(case, error))
        if operation.kind in {OperationKind.WRITE, OperationKind.REMOVE}:
            return Response(status_code=204)
        kind = "application/octet-stream" if operation.kind is OperationKind.READ else "application/json"
        return Response(await self._output(case, Stream.STDOUT), media_type=kind)

    async def _wait_for_decision(self, id: str, within: float) -> Case:
        clock = asyncio.get_running_loop().time
        until = clock() + within
        case = await self._engine.queries.case(id)
        while case.status is Status.PENDING and (left := until - clock()) > 0:
            case = await self._engine.queries.finished(id, min(POLL_SECONDS, left))
        return case

    async def _reason(self, case: Case, error: str) -> str:
        text = (await self._output(case, Stream.STDERR)).decode(errors="replace").strip()
        return visible(text)[:500] or error

    async def _output(self, case: Case, wanted: Stream) -> bytes:
        chunks = self._engine.queries.output(case.submission.id)
        return b"".join([chunk.data async for chunk in chunks if chunk.stream is wanted])


def _status_of(case: Case) -> int:
    if case.result is None:
        return 403
    missing = case.result.exit_code and case.submission.draft.operation
    return 404 if missing and missing.kind is not OperationKind.WRITE else 422


def _pending(case: Case) -> JSONResponse:
    location = f"{VERSION}/sessions/{case.submission.draft.session}/calls/{case.submission.id}"
    pending = PendingCall(
        id=case.submission.id,
        digest=case.submission.digest,
        status=case.status,
        risk=case.assessment.risk,
        deadline=case.deadline,
        location=location,
    )
    return JSONResponse(pending.model_dump(mode="json"), 202, headers={"location": location})
