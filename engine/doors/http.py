"""The HTTP API: a door translates and decides nothing."""

from __future__ import annotations

import asyncio
import getpass
import math
from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import Depends, FastAPI, Header, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from engine.audit import AuditError
from engine.doors.wire import HOLDER, Answer, Decided, Handed, Held, Snippet, Withdrawn
from engine.models import Analysis, Case, Event, Health, Principal, Role, Summary, Verification
from engine.problem import Problem
from engine.service import Engine
from engine.text import Untrusted

NDJSON = "application/x-ndjson"
MOST_WAITING = 60.0
"""Seconds that one request may wait for a submission to be over."""


def application(engine: Engine, shut_down: Callable[[], None]) -> FastAPI:
    """Return the API over an engine; `shut_down` ends its process."""
    app = FastAPI(title="Pratique", docs_url=None, redoc_url=None)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(AuditError, _unrecorded)
    app.add_exception_handler(HTTPException, _not_http)
    _submissions(app, engine)
    _runs(app, engine)
    _looking(app, engine)

    @app.post("/shutdown", status_code=204)
    async def shutdown(by: Owner) -> None:
        shut_down()

    return app


def owner() -> Principal:
    """Return whoever owns the socket: it is theirs alone, so they may do everything."""
    return Principal(name=Untrusted(getpass.getuser()), roles=frozenset(Role))


Owner = Annotated[Principal, Depends(owner)]
Key = Annotated[
    str,
    Header(
        pattern=r"^[!-~]{0,255}$",
        description="The same key and body within 24 hours get the same submission; another body is refused.",
    ),
]


def _submissions(app: FastAPI, engine: Engine) -> None:
    @app.post("/submissions", status_code=202)
    async def submit(handed: Handed, by: Owner, idempotency_key: Key = "") -> Case:
        requester = _requester(handed.requester, by)
        case = await engine.arrivals.submit(handed.draft, requester, key=idempotency_key, join=handed.join)
        if handed.holder:
            engine.holders.take(handed.holder, case.submission.id)
        return case

    @app.get("/submissions")
    async def queue() -> tuple[Summary, ...]:
        return await engine.queue()

    @app.get("/submissions/{id}")
    async def case(id: str, within: Annotated[float, Query(ge=0, le=MOST_WAITING)] = 0) -> Case:
        return await engine.over(id, within) if within else await engine.case(id)

    @app.post("/submissions/{id}/withdrawal")
    async def withdraw(id: str, withdrawn: Withdrawn, by: Owner) -> Case:
        return await engine.arrivals.withdraw(id, _requester(withdrawn.requester, by))

    @app.get("/holders/{holder}")
    async def hold(holder: Annotated[str, Path(pattern=HOLDER)]) -> StreamingResponse:
        return _stream(_presence(engine, holder))

    @app.post("/submissions/{id}/decision")
    async def decide(id: str, decided: Decided, by: Owner) -> Case:
        return await engine.desk.decide(
            id, by, decided.verdict, decided.digest, decided.reason.text, decided.grant
        )

    @app.post("/analysis")
    async def analyse(snippet: Snippet) -> Analysis:
        return await engine.analyse(snippet.code.text, snippet.language)


def _requester(named: Untrusted, by: Principal) -> Principal:
    return Principal(name=named) if named else by


async def _presence(engine: Engine, holder: str) -> AsyncIterator[Held]:
    """Count a client as there for as long as it reads."""
    async with engine.holders.present(holder):
        yield Held(holder=holder)
        await asyncio.get_running_loop().create_future()


def _runs(app: FastAPI, engine: Engine) -> None:
    @app.get("/runs/{id}/output")
    async def output(id: str, offset: Annotated[int, Query(ge=0)] = 0) -> StreamingResponse:
        await engine.case(id)
        return _stream(engine.output(id, offset))

    @app.get("/runs/{id}/meters")
    async def meters(id: str) -> StreamingResponse:
        await engine.case(id)
        return _stream(engine.meters(id))

    @app.post("/runs/{id}/stop", status_code=204)
    async def stop(id: str, by: Owner) -> None:
        await engine.runs.stop(id, by)

    @app.post("/runs/{id}/kill", status_code=204)
    async def kill(id: str, by: Owner) -> None:
        await engine.runs.kill(id, by)

    @app.post("/runs/{id}/freeze", status_code=204)
    async def freeze(id: str, by: Owner) -> None:
        await engine.runs.freeze(id, by)

    @app.post("/runs/{id}/thaw", status_code=204)
    async def thaw(id: str, by: Owner) -> None:
        await engine.runs.thaw(id, by)


def _looking(app: FastAPI, engine: Engine) -> None:
    @app.get("/healthz")
    async def health(settled_within: Annotated[float, Query(ge=0, le=25)] = 0) -> Health:
        return await engine.health(settled_within)

    @app.get("/events")
    async def events(since: Annotated[int | None, Query(ge=0)] = None) -> StreamingResponse:
        return _stream(engine.events(since))

    @app.get("/audit")
    async def history(
        filter: str = "", before: str | None = None, limit: Annotated[int, Query(ge=1, le=1000)] = 200
    ) -> tuple[Summary, ...]:
        return await engine.history(filter, before, limit)

    @app.get("/audit/{id}/events")
    async def trail(id: str) -> tuple[Event, ...]:
        await engine.case(id)
        return await engine.trail(id)

    @app.post("/audit/verification")
    async def verify() -> Verification:
        return await engine.verify()


def _stream(items: AsyncIterator[BaseModel]) -> StreamingResponse:
    return StreamingResponse(_lines(items), media_type=NDJSON)


async def _lines(items: AsyncIterator[BaseModel]) -> AsyncIterator[bytes]:
    async for item in items:
        yield item.model_dump_json().encode() + b"\n"


async def _problem(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Problem):
        raise error
    return _answer(error)


async def _not_http(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return _answer(Problem(error.status_code, str(error.detail)))


async def _unrecorded(request: Request, error: Exception) -> JSONResponse:
    return _answer(Problem(503, str(error), mend="Type: pratique doctor"))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError | ValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return _answer(Problem(422, f"{where or 'the request'}: {first['msg']}"))


def _answer(problem: Problem) -> JSONResponse:
    body = Answer(status=problem.status, title=problem.title, mend=problem.mend)
    headers = {"Retry-After": f"{math.ceil(problem.retry_after or 60)}"} if problem.status == 429 else None
    return JSONResponse(
        body.model_dump(), problem.status, headers=headers, media_type="application/problem+json"
    )
