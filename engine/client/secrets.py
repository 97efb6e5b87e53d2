"""Secrets through the client."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models.submission import SecretReference

_SECRETS = TypeAdapter(tuple[SecretReference, ...])


class SecretsClient:
    """Lists, sets and removes secrets. For admins."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[SecretReference, ...]:
        """Return the secrets by name and host."""
        return _SECRETS.validate_json(await self._transport.get("/v1/secrets"))

    async def set(self, name: str, host: str, value: str) -> None:
        """Keep a secret for one host. Its value never comes back."""
        given = {"host": host, "value": value}
        await self._transport.send("PUT", f"/v1/secrets/{quote(name, safe='')}", json=given)

    async def remove(self, name: str) -> None:
        """Forget a secret."""
        await self._transport.send("DELETE", f"/v1/secrets/{quote(name, safe='')}")
