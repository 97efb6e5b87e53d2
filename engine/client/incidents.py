"""Incidents, notes and tags through the client."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models.incident import (
    EntryKind,
    Incident,
    NewEntry,
    NewIncident,
    NoteRequest,
    SealProgress,
    TagRequest,
)

SEAL_SECONDS = 300.0
"""How long an incident may take to be sealed."""
PROGRESS_SECONDS = 0.3
"""How often the progress is asked for."""
_INCIDENTS = TypeAdapter(tuple[Incident, ...])


class IncidentsClient:
    """Opens, fills and seals incidents; adds notes and tags to submissions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[Incident, ...]:
        """Return all incidents, the newest first."""
        return _INCIDENTS.validate_json(await self._transport.get("/v1/incidents"))

    async def open(self, name: str) -> Incident:
        """Open an incident."""
        body = await self._transport.post("/v1/incidents", NewIncident(name=Untrusted(name)))
        return Incident.model_validate_json(body)

    async def incident(self, id: str) -> Incident:
        """Return an incident with its entries."""
        return Incident.model_validate_json(await self._transport.get(f"/v1/incidents/{quote(id, safe='')}"))

    async def add(self, id: str, kind: EntryKind, value: str) -> Incident:
        """Add a submission, a note, or a query with all that it finds now."""
        entry = NewEntry(kind=kind, value=Untrusted(value))
        body = await self._transport.post(f"/v1/incidents/{quote(id, safe='')}/entries", entry, SEAL_SECONDS)
        return Incident.model_validate_json(body)

    async def sealed(self, id: str) -> bytes:
        """Return a ZIP that proves an incident. That it was made is recorded."""
        return await self._transport.post(f"/v1/incidents/{quote(id, safe='')}/file", None, SEAL_SECONDS)

    async def sealing(self, id: str) -> SealProgress:
        """Return how far the sealing of an incident is."""
        body = await self._transport.get(f"/v1/incidents/{quote(id, safe='')}/file/progress")
        return SealProgress.model_validate_json(body)

    async def note(self, id: str, text: str) -> None:
        """Add a note to a submission."""
        await self._transport.post(
            f"/v1/submissions/{quote(id, safe='')}/notes", NoteRequest(text=Untrusted(text))
        )

    async def tag(self, id: str, tag: str) -> None:
        """Tag a submission."""
        await self._transport.post(f"/v1/submissions/{quote(id, safe='')}/tags", TagRequest(tag=tag))

    async def untag(self, id: str, tag: str) -> None:
        """Remove a tag from a submission."""
        path = f"/v1/submissions/{quote(id, safe='')}/tags/{quote(tag, safe='')}"
        await self._transport.send("DELETE", path)


async def sealed_with_progress(
    incidents: IncidentsClient, id: str, report: Callable[[int, int], object]
) -> bytes:
    """Return a ZIP that proves an incident; report meanwhile how many submissions were read, of how many."""
    file = asyncio.ensure_future(incidents.sealed(id))
    try:
        while not (await asyncio.wait({file}, timeout=PROGRESS_SECONDS))[0]:
            with contextlib.suppress(Problem):  # what comes of it is the answer to the other request
                progress = await incidents.sealing(id)
                report(progress.done, progress.total)
        return await file
    finally:
        file.cancel()
