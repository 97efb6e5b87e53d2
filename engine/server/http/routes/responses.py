"""Responses to incidents: blocks, what a query leads to, and what is done about it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from engine.core import Engine
from engine.models.api import BlockRequest
from engine.models.response import Block, Response, ResponsePlan, ResponseRequest
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute


def response_routes(engine: Engine) -> APIRouter:
    """Return the routes by which responders stop and block."""
    router = APIRouter(tags=["Response"], route_class=StrictRoute)
    _block_routes(router, engine)
    _response_routes(router, engine)
    return router


def _block_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/blocks", responses=LINK, summary="List the blocks")
    async def blocks(page: CurrentPage) -> tuple[Block, ...]:
        """Return the blocks in force, the newest first."""
        return page.of(engine.blocks.listed(), lambda block: block.id)

    @router.post("/blocks", status_code=201, summary="Block something")
    async def block(body: BlockRequest, by: CurrentPrincipal) -> Block:
        """Block an agent, a token, a host, a secret, code or a pre-approval until a time."""
        return await engine.revocations.block(body.target, body.hours, body.reason, by)

    @router.delete("/blocks/{id}", status_code=204, summary="Remove a block")
    async def remove(id: str, by: CurrentPrincipal) -> None:
        """Remove a block; what was refused because of it stays refused."""
        await engine.blocks.remove(id, by)


def _response_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/responses", responses=LINK, summary="List the responses")
    async def responses(page: CurrentPage) -> tuple[Response, ...]:
        """Return what responders did, the newest first."""
        return page.of(engine.responses.listed(), lambda response: response.id)

    @router.get("/responses/plan", summary="See what a query leads to")
    async def plan(filter: Annotated[str, Query(max_length=1000)] = "") -> ResponsePlan:
        """Return the runs that could be stopped, and what could be blocked; nothing is done."""
        return await engine.responses.plan(filter)

    @router.post("/responses", status_code=201, summary="Respond")
    async def respond(body: ResponseRequest, by: CurrentPrincipal) -> Response:
        """Block, then stop or pause exactly what is named; what could not be done is in the answer."""
        return await engine.responses.carry_out(body, by)

    @router.delete("/responses/{id}", summary="Undo a response")
    async def undo(id: str, by: CurrentPrincipal) -> Response:
        """Remove the blocks of a response and resume what it paused."""
        return await engine.responses.undo(id, by)
