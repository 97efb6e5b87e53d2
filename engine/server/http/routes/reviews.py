"""The part of the HTTP API that reviewers need beside their verdict."""

from __future__ import annotations

from fastapi import FastAPI

from engine.core import Engine
from engine.core.review.similarity import SimilarSubmissions
from engine.models import Case, Consequence, Grant, PreApproval, SimilarSubmission
from engine.models.api import Beforehand
from engine.server.http.authorization import Owner


def reviewing(app: FastAPI, engine: Engine) -> None:
    """Add claims, the nearest approved, the consequences of giving less, and pre-approvals."""

    @app.post("/submissions/{id}/claim")
    async def claim(id: str, by: Owner) -> Case:
        return await engine.claims.claim(id, by)

    @app.delete("/submissions/{id}/claim")
    async def release(id: str, by: Owner) -> Case:
        return await engine.claims.release(id, by)

    alike = SimilarSubmissions(engine.queries)

    @app.get("/submissions/{id}/nearest")
    async def nearest(id: str) -> SimilarSubmission | None:
        return await alike.nearest(id)

    @app.post("/submissions/{id}/consequences")
    async def what_comes_of(id: str, grant: Grant) -> tuple[Consequence, ...]:
        return await engine.queries.consequences(id, grant)

    @app.post("/submissions/{id}/pre-approval", status_code=201)
    async def create_pre_approval(id: str, beforehand: Beforehand, by: Owner) -> PreApproval:
        case = await engine.queries.case(id)
        return await engine.pre_approvals.create(
            case, by, beforehand.match_mode, beforehand.ceiling, beforehand.uses, beforehand.days
        )

    @app.get("/pre-approvals")
    async def listed() -> tuple[PreApproval, ...]:
        return engine.pre_approvals.listed()

    @app.delete("/pre-approvals/{id}", status_code=204)
    async def revoke_pre_approval(id: str, by: Owner) -> None:
        await engine.pre_approvals.revoke(id, by)
