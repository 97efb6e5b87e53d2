"""Tokens through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.common.text import Untrusted
from engine.models import NewToken, Scope, Token
from engine.models.api import TokenRequest

_TOKENS = TypeAdapter(tuple[Token, ...])


class TokensClient:
    """Lists, creates and revokes tokens. For admins."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[Token, ...]:
        """Return the tokens that are not revoked, the oldest first."""
        return _TOKENS.validate_json(await self._transport.get("/v1/tokens"))

    async def create(
        self, name: str, scopes: tuple[Scope, ...], days: float, key: str = "", person: str = ""
    ) -> NewToken:
        """Make a token; its secret is shown this once."""
        wanted = TokenRequest(name=Untrusted(name), scopes=scopes, days=days, key=key, person=person)
        return NewToken.model_validate_json(await self._transport.post("/v1/tokens", wanted))

    async def revoke(self, id: str) -> None:
        """Take a token back."""
        await self._transport.send("DELETE", f"/v1/tokens/{id}")
