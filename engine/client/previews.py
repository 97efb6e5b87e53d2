"""Previews of servers in running sandboxes, through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models import OpenedPreview, Preview, PreviewRequest
from engine.models.api import OpenPreview

_PREVIEWS = TypeAdapter(tuple[Preview, ...])
_REQUESTS = TypeAdapter(tuple[PreviewRequest, ...])


class PreviewsClient:
    """Opens, lists and closes previews on the machine of the engine."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def open(self, run: str, port: int) -> OpenedPreview:
        """Open a preview of a port of a running run."""
        body = await self._transport.post(f"/v1/runs/{run}/previews", OpenPreview(port=port))
        return OpenedPreview.model_validate_json(body)

    async def list(self) -> tuple[Preview, ...]:
        """Return the open previews, the oldest first."""
        return _PREVIEWS.validate_json(await self._transport.get("/v1/previews"))

    async def link(self, id: str) -> OpenedPreview:
        """Return a new link to a preview."""
        return OpenedPreview.model_validate_json(await self._transport.post(f"/v1/previews/{id}/link"))

    async def requests(self, id: str) -> tuple[PreviewRequest, ...]:
        """Return the last requests to a preview, the oldest first."""
        return _REQUESTS.validate_json(await self._transport.get(f"/v1/previews/{id}/requests"))

    async def close(self, id: str) -> None:
        """Close a preview."""
        await self._transport.send("DELETE", f"/v1/previews/{id}")
