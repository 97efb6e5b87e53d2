"""The part of the HTTP API for sessions, in the shape that simple sandbox servers have.

Each call in a session is a submission of its own. One that needs a person is answered with 202, its id and
where to ask; `within` seconds may be waited first. Its answer is the same wherever it is asked for.
"""

from __future__ import annotations

import asyncio
from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends, FastAPI, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core import Engine
from engine.models import Case, OperationKind, Principal, Session, Status, Stream
from engine.models.api import Asked, Code, Line, Opening, Packages
from engine.server.http.authorization import Speaking
from engine.server.http.execution_lines import END_SECONDS, error_of, lines
from engine.server.http.responses import lines_of, stream

MOST_WITHIN = 60.0
POLL_SECONDS = 0.1
REQUESTER = "pratique-requester"

Within = Annotated[float, Query(ge=0, le=MOST_WITHIN, description="Seconds to wait for a person first.")]
ASKED: dict[int | str, dict[str, object]] = {
    202: {"model": Asked, "description": "A person has to approve it: ask there."}
}
BYTES: dict[int | str, dict[str, object]] = {**ASKED, 200: {"content": {"application/octet-stream": {}}}}


async def _asking(
    by: Speaking,
    pratique_requester: Annotated[
        str, Header(description="The name that an agent of the socket's owner gives itself, percent-encoded.")
    ] = "",
) -> Principal:
    return by.requester(Untrusted(unquote(pratique_requester)))


Asking = Annotated[Principal, Depends(_asking)]


def living(app: FastAPI, engine: Engine) -> None:
    """Add sessions to an application."""
    answers = Answers(engine)
    _opening(app, engine)
    _executing(app, engine, answers)
    _filing(app, engine, answers)


def _opening(app: FastAPI, engine: Engine) -> None:
    @app.post("/sessions", status_code=201)
    async def create(by: Asking, opening: Opening | None = None) -> Session:
        wanted = opening or Opening()
        return await engine.sessions.create(by, wanted.language, wanted.image)

    @app.get("/sessions")
    async def listed(by: Asking) -> tuple[Session, ...]:
        return engine.sessions.listed(by)

    @app.get("/sessions/{id}")
    async def get(id: str, by: Asking) -> Session:
        return engine.sessions.get(id, by)

    @app.delete("/sessions/{id}")
    async def close(id: str, by: Asking) -> Session:
        return await engine.sessions.close(id, by)


def _executing(app: FastAPI, engine: Engine, answers: Answers) -> None:
    @app.post("/sessions/{id}/execute", response_class=Response, responses={**ASKED, **lines_of(Line)})
    async def execute(id: str, code: Code, by: Asking, within: Within = 0) -> Response:
        case = await engine.sessions.execute(
            id,
            by,
            code.code.text,
            purpose=code.purpose.text,
            files=code.files,
            permissions=code.permissions,
            expect=code.expect,
            verify=code.verify,
        )
        return await answers.to(case, within)

    @app.post("/sessions/{id}/packages", response_class=Response, responses={**ASKED, **lines_of(Line)})
    async def install(id: str, wanted: Packages, by: Asking, within: Within = 0) -> Response:
        case = await engine.sessions.install(id, by, wanted.packages, wanted.builds)
        return await answers.to(case, within)

    @app.get("/sessions/{id}/calls/{call}", response_class=Response, responses={**BYTES, **ASKED})
    async def call(id: str, call: str, by: Asking, within: Within = 0) -> Response:
        engine.sessions.get(id, by)
        case = await engine.queries.case(call)
        if case.submission.draft.session != id or case.submission.requester.name != by.name:
            raise Problem(404, f"no call {visible(call)[:64]} in session {id}")
        return await answers.to(case, within)


def _filing(app: FastAPI, engine: Engine, answers: Answers) -> None:
    @app.get("/sessions/{id}/files", response_class=Response, responses=ASKED)
    async def listing(id: str, by: Asking, path: str = "", within: Within = 0) -> Response:
        return await answers.to(await engine.sessions.files(id, by, path), within)

    @app.get("/sessions/{id}/files/{path:path}", response_class=Response, responses=BYTES)
    async def read(id: str, path: str, by: Asking, within: Within = 0) -> Response:
        return await answers.to(await engine.sessions.read(id, by, path), within)

    @app.put("/sessions/{id}/files/{path:path}", response_class=Response, responses=ASKED, status_code=204)
    async def write(
        id: str, path: str, request: Request, by: Asking, executable: bool = False, within: Within = 0
    ) -> Response:
        content = await request.body()
        case = await engine.sessions.write(id, by, path, content, executable=executable)
        return await answers.to(case, within)

    @app.delete("/sessions/{id}/files/{path:path}", response_class=Response, responses=ASKED, status_code=204)
    async def remove(id: str, path: str, by: Asking, within: Within = 0) -> Response:
        return await answers.to(await engine.sessions.remove(id, by, path), within)


class Answers:
    """What a call in a session is answered with, by what it does."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def to(self, case: Case, within: float) -> Response:
        """Return the answer of a call; 202 where a person has not decided `within` so many seconds.

        Raises:
            Problem: it was not approved, or it failed.
        """
        case = await self._decided(case.submission.id, within)
        if case.status is Status.PENDING:
            return _come_again(case)
        operation = case.submission.draft.operation
        if operation is None or operation.kind is OperationKind.INSTALL:
            return stream(lines(self._engine, case.submission.id))
        case = await self._engine.queries.finished(case.submission.id, END_SECONDS)
        if error := error_of(case):
            raise Problem(_status_of(case), await self._why(case, error))
        if operation.kind in {OperationKind.WRITE, OperationKind.REMOVE}:
            return Response(status_code=204)
        kind = "application/octet-stream" if operation.kind is OperationKind.READ else "application/json"
        return Response(await self._written(case, Stream.STDOUT), media_type=kind)

    async def _decided(self, id: str, within: float) -> Case:
        clock = asyncio.get_running_loop().time
        until = clock() + within
        case = await self._engine.queries.case(id)
        while case.status is Status.PENDING and (left := until - clock()) > 0:
            case = await self._engine.queries.finished(id, min(POLL_SECONDS, left))
        return case

    async def _why(self, case: Case, error: str) -> str:
        said = (await self._written(case, Stream.STDERR)).decode(errors="replace").strip()
        return visible(said)[:500] or error

    async def _written(self, case: Case, wanted: Stream) -> bytes:
        chunks = self._engine.queries.output(case.submission.id)
        return b"".join([chunk.data async for chunk in chunks if chunk.stream is wanted])


def _status_of(case: Case) -> int:
    if case.result is None:
        return 403
    missing = case.result.exit_code and case.submission.draft.operation
    return 404 if missing and missing.kind is not OperationKind.WRITE else 422


def _come_again(case: Case) -> JSONResponse:
    where = f"/sessions/{case.submission.draft.session}/calls/{case.submission.id}"
    asked = Asked(
        id=case.submission.id,
        digest=case.submission.digest,
        status=case.status,
        risk=case.assessment.risk,
        deadline=case.deadline,
        ask=where,
    )
    return JSONResponse(asked.model_dump(mode="json"), 202, headers={"location": where})
