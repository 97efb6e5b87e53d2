"""The part of the HTTP API that makes and revokes tokens. It is for admins, as all that no table names."""

from __future__ import annotations

from fastapi import FastAPI

from engine.core import Engine
from engine.models import NewToken, Token
from engine.models.api import Wanted
from engine.server.http.authorization import Owner


def letting_in(app: FastAPI, engine: Engine) -> None:
    """Add tokens to an application."""

    @app.get("/tokens")
    async def listed() -> tuple[Token, ...]:
        return engine.tokens.listed()

    @app.post("/tokens", status_code=201)
    async def create(wanted: Wanted, by: Owner) -> NewToken:
        return await engine.tokens.create(wanted.name.text, wanted.scopes, wanted.days, by, wanted.key)

    @app.delete("/tokens/{id}", status_code=204)
    async def revoke(id: str, by: Owner) -> None:
        await engine.tokens.revoke(id, by)
