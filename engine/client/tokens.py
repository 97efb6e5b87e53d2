"""The part of the client that makes, lists and revokes tokens."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Connection
from engine.common.text import Untrusted
from engine.models import NewToken, Scope, Token
from engine.models.api import TokenRequest

_TOKENS = TypeAdapter(tuple[Token, ...])


class TokenClient(Connection):
    """Tokens, for admins."""

    async def tokens(self) -> tuple[Token, ...]:
        """Return the tokens that are not revoked, the oldest first."""
        return _TOKENS.validate_json(await self._get("/tokens"))

    async def create_token(
        self, name: str, scopes: tuple[Scope, ...], days: float, key: str = ""
    ) -> NewToken:
        """Make a token; its secret is shown this once."""
        wanted = TokenRequest(name=Untrusted(name), scopes=scopes, days=days, key=key)
        return NewToken.model_validate_json(await self._post("/tokens", wanted))

    async def revoke_token(self, id: str) -> None:
        """Take a token back."""
        await self._send("DELETE", f"/tokens/{id}")
