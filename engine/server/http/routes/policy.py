"""Rules for the policy that past decisions suggest."""

from __future__ import annotations

from fastapi import APIRouter

from engine.core import Engine
from engine.models.suggestion import PolicyAdoption, PolicySuggestion
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.request_body import StrictRoute


def policy_routes(engine: Engine) -> APIRouter:
    """Return the routes of the policy."""
    router = APIRouter(tags=["Policy"], route_class=StrictRoute)

    @router.get("/policy/suggestions", summary="List the rules that decisions suggest")
    async def list_suggestions() -> tuple[PolicySuggestion, ...]:
        """Return what people approved every time, as rules, with what each would have changed."""
        return await engine.learning.suggestions()

    @router.post("/policy/suggestions/{rule}/adoption", status_code=201, summary="Adopt a suggested rule")
    async def adopt(rule: str, by: CurrentPrincipal) -> PolicyAdoption:
        """Put a suggested rule into force, signed with your key and recorded."""
        return await engine.learning.adopt(rule, by)

    return router
