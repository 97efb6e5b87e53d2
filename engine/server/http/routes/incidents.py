"""Incidents, notes and tags."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from engine.core import Engine
from engine.models.incident import Incident, NewEntry, NewIncident, NoteRequest, SealProgress, TagRequest
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute

ZIP = "application/zip"


def incident_routes(engine: Engine) -> APIRouter:
    """Return the routes by which responders keep what they find."""
    router = APIRouter(tags=["Incidents"], route_class=StrictRoute)
    _incident_routes(router, engine)
    _annotation_routes(router, engine)
    return router


def _incident_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/incidents", responses=LINK, summary="List the incidents")
    async def incidents(page: CurrentPage) -> tuple[Incident, ...]:
        """Return all incidents, the newest first."""
        return page.of(await engine.incidents.listed(), lambda incident: incident.id)

    @router.post("/incidents", status_code=201, summary="Open an incident")
    async def open_incident(body: NewIncident, by: CurrentPrincipal) -> Incident:
        """Open a working set of submissions, queries and notes."""
        return await engine.incidents.open(body.name, by)

    @router.get("/incidents/{id}", summary="Get an incident")
    async def incident(id: str) -> Incident:
        """Return an incident with its entries."""
        return await engine.incidents.incident(id)

    @router.post("/incidents/{id}/entries", summary="Add to an incident")
    async def add(id: str, body: NewEntry, by: CurrentPrincipal) -> Incident:
        """Add a submission, a note, or a query with what it finds now (1,000 submissions at most)."""
        return await engine.incidents.add(id, body, by)

    @router.post("/incidents/{id}/file", response_class=Response, summary="Seal and download an incident")
    async def sealed(id: str, by: CurrentPrincipal) -> Response:
        """Return a ZIP that proves the incident: its events, its timeline, the case files. It is recorded."""
        content = await engine.incidents.sealed(id, by)
        return Response(content, media_type=ZIP)

    @router.get("/incidents/{id}/file/progress", summary="Get how far the sealing of an incident is")
    async def sealing(id: str) -> SealProgress:
        """Return how many of its submissions were read, of how many; 0 of 0 where it is not being sealed."""
        return engine.incidents.sealing(id)


def _annotation_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/submissions/{id}/notes", status_code=204, summary="Add a note")
    async def note(id: str, body: NoteRequest, by: CurrentPrincipal) -> None:
        """Add a note to a submission; it is an event, and found by `note:`."""
        await engine.annotations.note(id, body.text, by)

    @router.post("/submissions/{id}/tags", status_code=204, summary="Tag a submission")
    async def tag(id: str, body: TagRequest, by: CurrentPrincipal) -> None:
        """Tag a submission; it is an event, and found by `tag:`."""
        await engine.annotations.tag(id, body.tag, by)

    @router.delete("/submissions/{id}/tags/{tag}", status_code=204, summary="Remove a tag")
    async def untag(id: str, tag: str, by: CurrentPrincipal) -> None:
        """Remove a tag from a submission; that it was there stays in the history."""
        await engine.annotations.untag(id, tag, by)
