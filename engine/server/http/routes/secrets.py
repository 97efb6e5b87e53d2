"""The part of the HTTP API that sets and removes secrets. It is for admins, as all that no table names."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import SecretStr

from engine.core import Engine
from engine.models import FrozenModel
from engine.models.submission import SecretReference
from engine.server.http.authorization import Owner


class SecretGiven(FrozenModel):
    """A secret on its way in. Its value never comes out again."""

    host: str
    value: SecretStr


def keeping_secrets(app: FastAPI, engine: Engine) -> None:
    """Add secrets to an application."""

    @app.get("/secrets")
    async def listed() -> tuple[SecretReference, ...]:
        return engine.secrets.listed()

    @app.put("/secrets/{name}")
    async def set_(name: str, given: SecretGiven, by: Owner) -> SecretReference:
        return await engine.secrets.set(name, given.host, given.value.get_secret_value(), by)

    @app.delete("/secrets/{name}", status_code=204)
    async def remove(name: str, by: Owner) -> None:
        await engine.secrets.remove(name, by)
