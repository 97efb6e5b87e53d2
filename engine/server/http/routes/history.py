"""History: search, facets, trends, events, exports, verification."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
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
from engine.models.api import CheckpointNotes, ChecksRecord, ExportRecord
from engine.models.history import Counts, Total
from engine.server.http.authorization import CurrentCaller, CurrentPrincipal
from engine.server.http.ndjson import Accept, ndjson_response, ndjson_stream
from engine.server.http.pages import LINK, CurrentPage, link_next
from engine.server.http.request_body import StrictRoute

ZIP = "application/zip"
_READ_ALL = frozenset({Scope.REVIEW, Scope.AUDIT, Scope.ADMIN})


def history_routes(engine: Engine) -> APIRouter:
    """Return the routes of the history. A token that may only submit finds its own submissions."""
    router = APIRouter(tags=["History"], route_class=StrictRoute)
    _search_routes(router, engine)
    _record_routes(router, engine)
    _check_routes(router, engine)
    _verification_routes(router, engine)
    return router


def _search_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/history", responses=LINK, summary="Search the history")
    async def search_history(
        by: CurrentCaller,
        filter: str = "",
        before: str | None = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        sort: Annotated[str, Query(max_length=40)] = "",
        *,
        request: Request,
        response: Response,
    ) -> tuple[Summary, ...]:
        """Return the submissions that match a filter, the newest first; `before` an id for the next page.

        `sort` is a field, with `-` in front in descending order.
        """
        own = None if by.scopes & _READ_ALL else by.principal
        found = await engine.history.search(filter, before, limit, own, sort)
        if len(found) == limit:
            link_next(request, response, before=found[-1].id)
        return found

    @router.get("/history/total", summary="Count all matching submissions")
    async def count_all(filter: str = "") -> Total:
        """Return how many submissions match: exactly, or at least so many."""
        return await engine.history.total(filter)

    @router.get("/history/counts", summary="Count the matching submissions by a field")
    async def count_by_field(by: Annotated[str, Query(max_length=40)], filter: str = "") -> Counts:
        """Return how many matching submissions have each value of a field, such as `observed.host`."""
        return await engine.history.counts(filter, by)

    @router.get("/history/facets", summary="Count the matching submissions")
    async def get_facets(filter: str = "") -> Facets:
        """Return how many matching submissions there are by risk, status, language and requester."""
        return await engine.history.facets(filter)

    @router.get("/history/filter", summary="Complete a filter")
    async def complete_filter(by: CurrentCaller, text: str = "") -> FilterHelp:
        """Return how a filter can be completed, and what is wrong with it."""
        return await engine.history.help(text, with_values=bool(by.scopes & _READ_ALL))

    @router.get("/history/trends", summary="Get trends")
    async def get_trends(days: Annotated[float, Query(gt=0, le=3660)] = 7) -> Trends:
        """Return figures about the submissions of the last days."""
        return await engine.history.trends(days)


def _record_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/history/{id}/events", responses=LINK, summary="List the events of a submission")
    async def submission_events(id: str, by: CurrentPrincipal, page: CurrentPage) -> tuple[Event, ...]:
        """Return the events of a submission, the oldest first. Reading them is recorded."""
        await engine.queries.case(id)
        return page.of(await engine.history.trail(id, by), lambda event: event.seq)

    @router.get("/submissions/{id}/erasures", summary="List what was erased of a submission")
    async def list_erasures(id: str) -> tuple[Erasure, ...]:
        """Return what the retention rules have erased."""
        await engine.queries.case(id)
        return await engine.history.erasures(id)

    @router.get(
        "/history/{id}/case",
        response_class=Response,
        responses={200: {"content": {ZIP: {}}}},
        summary="Download a case file",
    )
    async def download_case_file(id: str, by: CurrentPrincipal) -> Response:
        """Return a ZIP that proves what happened to a submission. The download is recorded."""
        await engine.queries.case(id)
        content = await engine.history.case_file(id, by)
        return Response(content, media_type=ZIP, headers={"content-disposition": "attachment"})

    @router.post("/history/exports", status_code=204, summary="Record an export")
    async def record_export(body: ExportRecord, by: CurrentPrincipal) -> None:
        """Record that a client exports records from the history."""
        await engine.history.record_export(body.what.text, body.format, body.submissions, by)


def _check_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/history/checks", status_code=204, summary="Record a self-test")
    async def record_checks(body: ChecksRecord, by: CurrentPrincipal) -> None:
        """Record what the self-test or the doctor of this machine found."""
        await engine.history.record_checks(body.kind, body.total, body.failed, by)


def _verification_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/history/verification", summary="Verify the history")
    async def verify_history() -> Verification:
        """Read the whole history again and return what was found."""
        return await engine.queries.verify()

    @router.get(
        "/history/verification",
        response_class=StreamingResponse,
        responses=ndjson_response(VerificationProgress),
        summary="Verify the history, with progress",
    )
    async def verify_with_progress(
        by: CurrentPrincipal, resume: bool = False, accept: Accept = ""
    ) -> StreamingResponse:
        """Stream the progress and last the findings; `resume` continues the latest verification."""
        return ndjson_stream(engine.history.verify(by, resume=resume), accept)

    @router.post(
        "/history/verification/checkpoints",
        response_class=StreamingResponse,
        responses=ndjson_response(VerificationProgress),
        summary="Verify the history against checkpoints",
    )
    async def verify_checkpoints(body: CheckpointNotes, by: CurrentPrincipal) -> StreamingResponse:
        """Verify the whole history, and that it still contains these signed checkpoints."""
        return ndjson_stream(engine.history.verify(by, witnessed=body.notes))
