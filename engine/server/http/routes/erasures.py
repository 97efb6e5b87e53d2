"""Erasures, legal holds, and the file of everything about a person: for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from engine.core import Engine
from engine.models.erasing.erasure import (
    ErasureReport,
    ErasureRequest,
    Hold,
    NewHold,
    PersonRequest,
    RecordedErasure,
)
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage, link_next
from engine.server.http.request_body import StrictRoute

ZIP = "application/zip"


def erasure_routes(engine: Engine) -> APIRouter:
    """Return the routes by which administrators erase, hold, and answer requests of people."""
    router = APIRouter(tags=["History"], route_class=StrictRoute)

    @router.post("/erasures", summary="Erase texts")
    async def erase(body: ErasureRequest, by: CurrentPrincipal) -> ErasureReport:
        """Erase a submission, what a query finds, or all of a person; `dry_run` only asks."""
        return await engine.erasures.erase(body, by)

    @router.get("/erasures", responses=LINK, summary="List the erasures")
    async def erasures(
        request: Request,
        response: Response,
        before: Annotated[int | None, Query(ge=1, description="The number of an event.")] = None,
        limit: Annotated[int, Query(ge=1, le=1000, description="At most so many items.")] = 100,
    ) -> tuple[RecordedErasure, ...]:
        """Return what was erased, by whom and why, the newest first."""
        found = await engine.erasures.listed(before, limit)
        if len(found) == limit:
            link_next(request, response, before=str(found[-1].seq))
        return found

    @router.get("/holds", responses=LINK, summary="List the legal holds")
    async def holds(page: CurrentPage) -> tuple[Hold, ...]:
        """Return the legal holds in force, the newest first."""
        return page.of(await engine.holds.listed(), lambda hold: hold.id)

    @router.post("/holds", status_code=201, summary="Place a legal hold")
    async def place(body: NewHold, by: CurrentPrincipal) -> Hold:
        """Keep whatever a query finds, now and later, from being erased."""
        return await engine.holds.place(body, by)

    @router.delete("/holds/{id}", status_code=204, summary="Release a legal hold")
    async def release_hold(id: str, by: CurrentPrincipal) -> None:
        """Release a legal hold; that it was there stays in the history."""
        await engine.holds.release(id, by)

    @router.post("/person-files", response_class=Response, summary="Download everything about a person")
    async def person_file(body: PersonRequest, by: CurrentPrincipal) -> Response:
        """Return a ZIP of what a person submitted and did, for a request of theirs. It is recorded."""
        return Response(await engine.person_files.made(body.person.text, by), media_type=ZIP)

    return router
