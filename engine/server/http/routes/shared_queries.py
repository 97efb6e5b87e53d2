"""Queries that responders share."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models.shared_query import NewSharedQuery, SharedQuery
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.request_body import StrictRoute


def shared_query_routes(engine: Engine) -> APIRouter:
    """Return the routes by which responders share queries."""
    router = APIRouter(tags=["Incidents"], route_class=StrictRoute)

    @router.get("/queries", summary="List the shared queries")
    async def shared_queries() -> tuple[SharedQuery, ...]:
        """Return the queries that responders share, by name."""
        return engine.shared_queries.listed()

    @router.post("/queries", status_code=201, summary="Share a query")
    async def share_query(body: NewSharedQuery, by: CurrentPrincipal) -> SharedQuery:
        """Share a query under a name; one of the same name is replaced."""
        return await engine.shared_queries.share(body, by)

    @router.delete("/queries/{name}", status_code=204, summary="Share a query no longer")
    async def remove_query(name: str, by: CurrentPrincipal) -> None:
        """Remove a shared query; that it was shared stays in the history."""
        await engine.shared_queries.remove(name, by)

    return router
