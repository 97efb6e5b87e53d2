"""Blocks and responses through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.common.text import Untrusted
from engine.models.api import BlockRequest
from engine.models.response import Block, BlockTarget, Response, ResponsePlan, ResponseRequest

_BLOCKS = TypeAdapter(tuple[Block, ...])
_RESPONSES = TypeAdapter(tuple[Response, ...])


class ResponsesClient:
    """Blocks, stops and pauses, and undoes it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def blocks(self) -> tuple[Block, ...]:
        """Return the blocks in force, the newest first."""
        return _BLOCKS.validate_json(await self._transport.get("/v1/blocks"))

    async def block(self, target: BlockTarget, hours: float = 24, reason: str = "") -> Block:
        """Block something for so many hours."""
        body = BlockRequest(target=target, hours=hours, reason=Untrusted(reason))
        return Block.model_validate_json(await self._transport.post("/v1/blocks", body))

    async def unblock(self, id: str) -> None:
        """Remove a block."""
        await self._transport.send("DELETE", f"/v1/blocks/{id}")

    async def list(self) -> tuple[Response, ...]:
        """Return what responders did, the newest first."""
        return _RESPONSES.validate_json(await self._transport.get("/v1/responses"))

    async def plan(self, query: str) -> ResponsePlan:
        """Return what could be done about what a query finds."""
        found = await self._transport.get("/v1/responses/plan", {"filter": query})
        return ResponsePlan.model_validate_json(found)

    async def respond(self, request: ResponseRequest) -> Response:
        """Do what was chosen."""
        return Response.model_validate_json(await self._transport.post("/v1/responses", request))

    async def undo(self, id: str) -> Response:
        """Undo a response."""
        return Response.model_validate_json(await self._transport.send("DELETE", f"/v1/responses/{id}"))
