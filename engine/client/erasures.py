"""Erasures, legal holds and files of persons through the client."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.common.text import Untrusted
from engine.models.erasing.erasure import (
    ErasureReport,
    ErasureRequest,
    Hold,
    NewHold,
    PersonRequest,
    RecordedErasure,
)

ERASE_SECONDS = 3600.0
"""How long an erasure may take: the database is written anew at its end."""
_ERASURES = TypeAdapter(tuple[RecordedErasure, ...])
_HOLDS = TypeAdapter(tuple[Hold, ...])


class ErasuresClient:
    """Erases texts, places and releases legal holds, and fetches the file of a person."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def erase(self, request: ErasureRequest) -> ErasureReport:
        """Erase what a request names, or say what would be erased."""
        body = await self._transport.post("/v1/erasures", request, ERASE_SECONDS)
        return ErasureReport.model_validate_json(body)

    async def list(self, limit: int = 100) -> tuple[RecordedErasure, ...]:
        """Return what was erased, by whom and why, the newest first."""
        return _ERASURES.validate_json(await self._transport.get("/v1/erasures", {"limit": limit}))

    async def holds(self) -> tuple[Hold, ...]:
        """Return the legal holds in force, the newest first."""
        return _HOLDS.validate_json(await self._transport.get("/v1/holds"))

    async def hold(self, query: str, reason: str) -> Hold:
        """Keep whatever a query finds from being erased."""
        body = await self._transport.post("/v1/holds", NewHold(query=query, reason=Untrusted(reason)))
        return Hold.model_validate_json(body)

    async def release(self, id: str) -> None:
        """Release a legal hold."""
        await self._transport.send("DELETE", f"/v1/holds/{quote(id, safe='')}")

    async def person_file(self, name: str) -> bytes:
        """Return a ZIP of everything about a person. That it was made is recorded."""
        request = PersonRequest(person=Untrusted(name))
        return await self._transport.post("/v1/person-files", request, ERASE_SECONDS)
