"""Rescans through the client."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models.rescan import Rescan, RescanRequest

_RESCANS = TypeAdapter(tuple[Rescan, ...])


class RescansClient:
    """Applies today's analysis and policy to stored code, in the background of the engine."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[Rescan, ...]:
        """Return all rescans with their progress, the newest first."""
        return _RESCANS.validate_json(await self._transport.get("/v1/rescans"))

    async def begin(self, query: str = "", share: float = 0.5) -> Rescan:
        """Start a rescan of what a query finds, at a share of one core."""
        body = await self._transport.post("/v1/rescans", RescanRequest(query=query, share=share))
        return Rescan.model_validate_json(body)

    async def stop(self, id: str) -> Rescan:
        """Stop a rescan; what it found stays."""
        path = f"/v1/rescans/{quote(id, safe='')}"
        return Rescan.model_validate_json(await self._transport.send("DELETE", path))
