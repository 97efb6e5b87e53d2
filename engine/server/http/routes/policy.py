"""What past decisions teach: rules for the policy, and approvals that look careless."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from engine.core import Engine
from engine.models import Scope
from engine.models.past_decisions import CarelessReport, DrillScore, PolicyAdoption, PolicySuggestion
from engine.server.http.authorization import CurrentCaller, CurrentPrincipal
from engine.server.http.request_body import StrictRoute

Days = Annotated[float, Query(gt=0, le=400, description="Number of days to include.")]


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

    @router.get("/approvals/careless", summary="List approvals that look careless")
    async def list_careless(by: CurrentCaller, days: Days = 30) -> CarelessReport:
        """Return your own; with the scope `audit` or `admin`, everybody's."""
        sees_all = bool(by.scopes & {Scope.AUDIT, Scope.ADMIN})
        return await engine.careless.report(days, None if sees_all else by.principal)

    @router.get("/drills", summary="Get your score of drills")
    async def get_drill_score(by: CurrentPrincipal) -> DrillScore:
        """Return how you answered drills that have ended; nobody is told about anybody else."""
        return await engine.drills.score(by)

    return router
