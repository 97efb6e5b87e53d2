"""The part of the HTTP API that looks back."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from fastapi.responses import Response, StreamingResponse

from engine.core import Engine
from engine.models import (
    Erasure,
    Event,
    Facets,
    FilterHelp,
    Scope,
    Summary,
    Trends,
    Verification,
    VerificationProgress,
)
from engine.models.api import Taken, Witnessed
from engine.server.http.authorization import Owner, Speaking
from engine.server.http.responses import lines_of, stream

ZIP = "application/zip"
_SEES_ALL = frozenset({Scope.REVIEW, Scope.AUDIT, Scope.ADMIN})


def auditing(app: FastAPI, engine: Engine) -> None:
    """Add the history to an application. Who may only submit finds their own submissions."""
    _proofs(app, engine)

    @app.get("/audit")
    async def history(
        by: Speaking,
        filter: str = "",
        before: str | None = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> tuple[Summary, ...]:
        own = None if by.scopes & _SEES_ALL else by.principal
        return await engine.archive.search(filter, before, limit, own)

    @app.get("/audit/facets")
    async def facets(filter: str = "") -> Facets:
        return await engine.archive.facets(filter)

    @app.get("/audit/filter")
    async def helped(text: str = "") -> FilterHelp:
        return engine.archive.help(text)

    @app.get("/audit/trends")
    async def trends(days: Annotated[float, Query(gt=0, le=3660)] = 7) -> Trends:
        return await engine.archive.trends(days)

    @app.get("/audit/{id}/events")
    async def trail(id: str, by: Owner) -> tuple[Event, ...]:
        await engine.queries.case(id)
        return await engine.archive.trail(id, by)

    @app.get("/submissions/{id}/erased")
    async def erased(id: str) -> tuple[Erasure, ...]:
        await engine.queries.case(id)
        return await engine.archive.erasures(id)

    @app.post("/audit/exports", status_code=204)
    async def exported(taken: Taken, by: Owner) -> None:
        await engine.archive.exported(taken.what.text, taken.format, taken.submissions, by)


def _proofs(app: FastAPI, engine: Engine) -> None:
    @app.get("/audit/{id}/case", response_class=Response, responses={200: {"content": {ZIP: {}}}})
    async def case_file(id: str, by: Owner) -> Response:
        await engine.queries.case(id)
        content = await engine.archive.case_file(id, by)
        return Response(content, media_type=ZIP, headers={"content-disposition": "attachment"})

    @app.post("/audit/verification")
    async def verify() -> Verification:
        return await engine.queries.verify()

    @app.get(
        "/audit/verification", response_class=StreamingResponse, responses=lines_of(VerificationProgress)
    )
    async def verifying(by: Owner, resume: bool = False) -> StreamingResponse:
        return stream(engine.archive.verify(by, resume=resume))

    @app.post("/audit/witnessed", response_class=StreamingResponse, responses=lines_of(VerificationProgress))
    async def witnessed(kept: Witnessed, by: Owner) -> StreamingResponse:
        return stream(engine.archive.verify(by, witnessed=kept.notes))
