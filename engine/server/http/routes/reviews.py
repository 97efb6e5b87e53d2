"""The part of the HTTP API that reviewers need beside their verdict."""

from __future__ import annotations

from fastapi import FastAPI

from engine.core import Engine
from engine.core.review.similarity import Alike
from engine.models import Case, Consequence, Grant, PreApproval, SimilarSubmission
from engine.models.api import Beforehand
from engine.server.http.authorization import Owner


def reviewing(app: FastAPI, engine: Engine) -> None:
    """Add claims, the nearest approved, the consequences of giving less, and standing approvals."""

    @app.post("/submissions/{id}/claim")
    async def claim(id: str, by: Owner) -> Case:
        return await engine.claims.claim(id, by)

    @app.delete("/submissions/{id}/claim")
    async def release(id: str, by: Owner) -> Case:
        return await engine.claims.release(id, by)

    alike = Alike(engine.history, engine.case)

    @app.get("/submissions/{id}/nearest")
    async def nearest(id: str) -> SimilarSubmission | None:
        return await alike.nearest(id)

    @app.post("/submissions/{id}/consequences")
    async def what_comes_of(id: str, grant: Grant) -> tuple[Consequence, ...]:
        return await engine.consequences(id, grant)

    @app.post("/submissions/{id}/standing-approval", status_code=201)
    async def stand(id: str, beforehand: Beforehand, by: Owner) -> PreApproval:
        case = await engine.case(id)
        return await engine.standings.give(
            case, by, beforehand.match_mode, beforehand.ceiling, beforehand.uses, beforehand.days
        )

    @app.get("/standing-approvals")
    async def listed() -> tuple[PreApproval, ...]:
        return engine.standings.listed()

    @app.delete("/standing-approvals/{id}", status_code=204)
    async def revoke(id: str, by: Owner) -> None:
        await engine.standings.revoke(id, by)
