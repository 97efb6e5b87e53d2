"""Secrets: list, set, remove. For admins only: no scope in `ROUTE_SCOPES` opens these routes."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models.api import SecretRequest
from engine.models.submission import SecretReference
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.request_body import StrictRoute


def secret_routes(engine: Engine) -> APIRouter:
    """Return the routes of secrets."""
    router = APIRouter(tags=["Secrets"], route_class=StrictRoute)

    @router.get("/secrets", summary="List the secrets")
    async def list_secrets() -> tuple[SecretReference, ...]:
        """Return the name and the host of each secret, never its value."""
        return engine.secrets.listed()

    @router.put("/secrets/{name}", summary="Set a secret")
    async def set_secret(name: str, body: SecretRequest, by: CurrentPrincipal) -> SecretReference:
        """Store a secret for one host, replacing any of the same name."""
        return await engine.secrets.set(name, body.host, body.value.get_secret_value(), by)

    @router.delete("/secrets/{name}", status_code=204, summary="Remove a secret")
    async def remove_secret(name: str, by: CurrentPrincipal) -> None:
        """Delete a secret."""
        await engine.secrets.remove(name, by)

    return router
