"""Rescans of stored code."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models.rescan import Rescan, RescanRequest
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute


def rescan_routes(engine: Engine) -> APIRouter:
    """Return the routes by which stored code is analysed again."""
    router = APIRouter(tags=["History"], route_class=StrictRoute)

    @router.get("/rescans", responses=LINK, summary="List the rescans")
    async def rescans(page: CurrentPage) -> tuple[Rescan, ...]:
        """Return all rescans with their progress, the newest first."""
        return page.of(engine.rescans.listed(), lambda rescan: rescan.id)

    @router.post("/rescans", status_code=201, summary="Start a rescan")
    async def start_rescan(body: RescanRequest, by: CurrentPrincipal) -> Rescan:
        """Apply today's analysis and policy to what a query finds, in the background; one at a time."""
        return await engine.rescans.begin(body, by)

    @router.delete("/rescans/{id}", summary="Stop a rescan")
    async def stop_rescan(id: str, by: CurrentPrincipal) -> Rescan:
        """Stop a rescan; what it found stays, and is found by `rescan:`."""
        return await engine.rescans.stop(id, by)

    return router
