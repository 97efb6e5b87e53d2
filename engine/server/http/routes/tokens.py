"""Tokens: create, list, revoke. For admins only: no scope in `ROUTE_SCOPES` opens these routes."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models import NewToken, Token
from engine.models.api import TokenRequest
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute


def token_routes(engine: Engine) -> APIRouter:
    """Return the routes of tokens."""
    router = APIRouter(tags=["Tokens"], route_class=StrictRoute)

    @router.get("/tokens", responses=LINK, summary="List the tokens")
    async def list_tokens(page: CurrentPage) -> tuple[Token, ...]:
        """Return the tokens that are not revoked, the oldest first, without their secrets."""
        return page.of(engine.tokens.listed(), lambda token: token.id)

    @router.post("/tokens", status_code=201, summary="Create a token")
    async def create_token(body: TokenRequest, by: CurrentPrincipal) -> NewToken:
        """Create a token. Its secret is in this response only."""
        return await engine.tokens.create(body.name.text, body.scopes, body.days, by, body.key, body.person)

    @router.delete("/tokens/{id}", status_code=204, summary="Revoke a token")
    async def revoke_token(id: str, by: CurrentPrincipal) -> None:
        """Revoke a token at once; what waits under it is withdrawn, and its sessions are closed."""
        await engine.revocations.revoke_token(id, by)

    return router
