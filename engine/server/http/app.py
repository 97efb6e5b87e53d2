"""The HTTP API: a door translates and decides nothing."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable
from importlib.metadata import version
from typing import Annotated

from fastapi import Depends, FastAPI, Query, Response
from fastapi.responses import StreamingResponse

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core import Engine
from engine.models import (
    Event,
    Health,
    Meters,
    OutputChunk,
    VerificationProgress,
)
from engine.models.api import LeaseStatus, Line
from engine.server.http.authorization import Owner, permitted
from engine.server.http.metrics import CONTENT_TYPE, Metrics
from engine.server.http.request_body import StrictRoute, known_parameters
from engine.server.http.responses import PROBLEMS, answer_problems, describe, lines_of, stream
from engine.server.http.routes.audit import auditing
from engine.server.http.routes.reviews import reviewing
from engine.server.http.routes.runs import steering
from engine.server.http.routes.secrets import keeping_secrets
from engine.server.http.routes.sessions import living
from engine.server.http.routes.submissions import submitting
from engine.server.http.routes.tokens import letting_in


def application(engine: Engine, shut_down: Callable[[], None]) -> FastAPI:
    """Return the API over an engine; `shut_down` ends its process."""
    app = FastAPI(
        title="Pratique",
        version=version("pratique"),
        docs_url=None,
        redoc_url=None,
        responses=PROBLEMS,
        dependencies=[Depends(permitted(engine)), Depends(known_parameters)],
    )
    app.router.route_class = StrictRoute
    answer_problems(app)
    submitting(app, engine)
    reviewing(app, engine)
    letting_in(app, engine)
    keeping_secrets(app, engine)
    steering(app, engine)
    living(app, engine)
    auditing(app, engine)
    _looking(app, engine)
    _measuring(app, engine)
    describe(app, (Event, LeaseStatus, Line, Meters, OutputChunk, VerificationProgress))

    @app.post("/shutdown", status_code=204)
    async def shutdown(by: Owner) -> None:
        shut_down()

    return app


def _looking(app: FastAPI, engine: Engine) -> None:
    @app.get("/healthz")
    async def health(settled_within: Annotated[float, Query(ge=0, le=25)] = 0) -> Health:
        return await engine.health(settled_within)

    @app.get("/events", response_class=StreamingResponse, responses=lines_of(Event))
    async def events(
        since: Annotated[int | None, Query(ge=0)] = None, type: str = "", subject: str = ""
    ) -> StreamingResponse:
        return stream(_chosen(engine.queries.events(since), type, subject))


def _measuring(app: FastAPI, engine: Engine) -> None:
    metrics = Metrics(lambda: engine.queries.pending, lambda: engine.queries.going, lambda: engine.stocks)
    engine.queries.listen(metrics.take)

    @app.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE: {}}}})
    async def measure() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    @app.get("/readyz", status_code=204)
    async def ready() -> None:
        health = await engine.health()
        if not health.can_run:
            bad = next((check for check in health.checks if not check.ok), None)
            why = visible(bad.detail) if bad else "gVisor is not proven"
            raise Problem(503, f"nothing runs here: {why}", hint=bad.hint if bad else "")


async def _chosen(
    events: AsyncGenerator[Event, None], type: str, subject: str
) -> AsyncGenerator[Event, None]:
    """Yield the events of one type (`run` is every `run.…`), of one subject, or both."""
    async with contextlib.aclosing(events):
        async for event in events:
            if subject in {"", event.subject} and (not type or f"{event.type}.".startswith(f"{type}.")):
                yield event
