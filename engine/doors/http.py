"""The HTTP API: a door translates and decides nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from importlib.metadata import version
from typing import Annotated

from fastapi import Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from engine.doors.answers import PROBLEMS, answer_problems, describe, lines_of, stream
from engine.doors.answers import output as written
from engine.doors.body import StrictRoute, known_parameters
from engine.doors.metrics import CONTENT_TYPE, Metrics
from engine.doors.owner import Owner
from engine.doors.reviewing import reviewing
from engine.doors.wire import HOLDER, Decided, Handed, Held, Snippet, Withdrawn
from engine.models import (
    Analysis,
    Case,
    Event,
    Health,
    Meters,
    OutputChunk,
    Principal,
    Summary,
    Verification,
)
from engine.problem import Problem
from engine.service import Engine
from engine.text import Untrusted, visible

MOST_WAITING = 60.0
"""Seconds that one request may wait for a submission to be over."""


def application(engine: Engine, shut_down: Callable[[], None]) -> FastAPI:
    """Return the API over an engine; `shut_down` ends its process."""
    app = FastAPI(
        title="Pratique",
        version=version("pratique"),
        docs_url=None,
        redoc_url=None,
        responses=PROBLEMS,
        dependencies=[Depends(known_parameters)],
    )
    app.router.route_class = StrictRoute
    answer_problems(app)
    _submissions(app, engine)
    reviewing(app, engine)
    _runs(app, engine)
    _looking(app, engine)
    _measuring(app, engine)
    describe(app, (Event, Held, Meters, OutputChunk))

    @app.post("/shutdown", status_code=204)
    async def shutdown(by: Owner) -> None:
        shut_down()

    return app


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

    @app.get("/holders/{holder}", response_class=StreamingResponse, responses=lines_of(Held))
    async def hold(holder: Annotated[str, Path(pattern=HOLDER)]) -> StreamingResponse:
        return stream(_presence(engine, holder))

    @app.post("/submissions/{id}/decision")
    async def decide(id: str, decided: Decided, by: Owner) -> Case:
        return await engine.desk.decide(
            id, by, decided.verdict, decided.digest, decided.reason.text, decided.grant, decided.seen
        )

    @app.post("/analysis")
    async def analyse(snippet: Snippet) -> Analysis:
        return await engine.analyse(snippet.code.text, snippet.language)


def _requester(named: Untrusted, by: Principal) -> Principal:
    return Principal(name=named) if named else by


async def _presence(engine: Engine, holder: str) -> AsyncGenerator[Held, None]:
    """Count a client as there for as long as it reads."""
    async with engine.holders.present(holder):
        yield Held(holder=holder)
        await asyncio.get_running_loop().create_future()


def _runs(app: FastAPI, engine: Engine) -> None:
    @app.get("/runs/{id}/output", response_class=StreamingResponse, responses=lines_of(OutputChunk))
    async def output(id: str, request: Request, offset: Annotated[int, Query(ge=0)] = 0) -> StreamingResponse:
        await engine.case(id)
        return written(engine.output(id, offset), request.headers.get("accept", ""))

    @app.get("/runs/{id}/meters", response_class=StreamingResponse, responses=lines_of(Meters))
    async def meters(id: str) -> StreamingResponse:
        await engine.case(id)
        return stream(engine.meters(id))

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

    @app.get("/events", response_class=StreamingResponse, responses=lines_of(Event))
    async def events(
        since: Annotated[int | None, Query(ge=0)] = None, type: str = "", subject: str = ""
    ) -> StreamingResponse:
        return stream(_chosen(engine.events(since), type, subject))

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


def _measuring(app: FastAPI, engine: Engine) -> None:
    metrics = Metrics(lambda: engine.waiting, lambda: engine.going)
    engine.listen(metrics.take)

    @app.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE: {}}}})
    async def measure() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    @app.get("/readyz", status_code=204)
    async def ready() -> None:
        health = await engine.health()
        if not health.can_run:
            bad = next((check for check in health.checks if not check.ok), None)
            why = visible(bad.detail) if bad else "gVisor is not proven"
            raise Problem(503, f"nothing runs here: {why}", mend=bad.mend if bad else "")


async def _chosen(
    events: AsyncGenerator[Event, None], type: str, subject: str
) -> AsyncGenerator[Event, None]:
    """Yield the events of one type (`run` is every `run.…`), of one subject, or both."""
    async with contextlib.aclosing(events):
        async for event in events:
            if subject in {"", event.subject} and (not type or f"{event.type}.".startswith(f"{type}.")):
                yield event
