"""Previews of servers in running sandboxes, for the owner of the socket alone."""

from __future__ import annotations

from fastapi import APIRouter, Request

from engine.common.errors import Problem
from engine.core import Engine
from engine.models import OpenedPreview, Preview, PreviewRequest
from engine.models.api import OpenPreview
from engine.server.http.authorization import CALLER, Caller, CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute
from engine.server.preview.service import Previews


def preview_routes(engine: Engine) -> APIRouter:
    """Return the routes of previews."""
    router = APIRouter(tags=["Previews"], route_class=StrictRoute)
    previews = Previews(engine.previewed, engine.supervisor)

    @router.post("/runs/{id}/previews", status_code=201, summary="Preview a server in a run")
    async def open_preview(
        id: str, body: OpenPreview, request: Request, by: CurrentPrincipal
    ) -> OpenedPreview:
        """Show a port of a running sandbox in a browser of this machine; return a link that works once.

        A run in a session may have ended: what it started there is shown for as long as the session lives.
        """
        _require_owner(request)
        case = await engine.queries.case(id)
        return await previews.open(case.submission, body.port, by)

    @router.get("/previews", responses=LINK, summary="List open previews")
    async def listed(request: Request, page: CurrentPage) -> tuple[Preview, ...]:
        """Return the open previews, the oldest first."""
        _require_owner(request)
        return page.of(previews.listed(), lambda preview: preview.id)

    @router.post("/previews/{id}/link", summary="Get a new link to a preview")
    async def link(id: str, request: Request) -> OpenedPreview:
        """Return another link to an open preview; the last one, if it was not opened, is void."""
        _require_owner(request)
        return previews.link(id)

    @router.get("/previews/{id}/requests", summary="Get the requests to a preview")
    async def requests(id: str, request: Request) -> tuple[PreviewRequest, ...]:
        """Return the last requests, the oldest first."""
        _require_owner(request)
        return previews.requests(id)

    @router.delete("/previews/{id}", status_code=204, summary="Close a preview")
    async def close(id: str, request: Request) -> None:
        """Close a preview at once."""
        _require_owner(request)
        await previews.close(id)

    return router


def _require_owner(request: Request) -> None:
    caller: Caller = request.scope[CALLER]
    if not caller.is_owner:
        raise Problem(
            403, "previews are for the owner of the socket", hint="Preview on the engine's machine."
        )
