"""Reviewers' signing keys: list, revoke. For admins only: no scope in `ROUTE_SCOPES` opens these routes."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models import ReviewerKey
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.request_body import StrictRoute


def key_routes(engine: Engine) -> APIRouter:
    """Return the routes of reviewers' keys."""
    router = APIRouter(tags=["Keys"], route_class=StrictRoute)

    @router.get("/keys", summary="List the signing keys of reviewers")
    async def list_keys() -> tuple[ReviewerKey, ...]:
        """Return every key that was ever registered, the oldest first, with when it was removed."""
        return engine.keys

    @router.delete("/keys/{key}", status_code=204, summary="Revoke a signing key")
    async def revoke_key(key: str, by: CurrentPrincipal) -> None:
        """Revoke a key: it signs nothing any more, and the pre-approvals that it signed end."""
        await engine.revocations.revoke_key(key, by)

    return router
