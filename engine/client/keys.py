"""Reviewers' signing keys through the client."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models import ReviewerKey

_KEYS = TypeAdapter(tuple[ReviewerKey, ...])


class KeysClient:
    """Lists and revokes the keys that reviewers sign with. For admins."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[ReviewerKey, ...]:
        """Return every key that was ever registered, the oldest first."""
        return _KEYS.validate_json(await self._transport.get("/v1/keys"))

    async def revoke(self, key: str) -> None:
        """Let a key, named in hexadecimal, sign nothing any more."""
        await self._transport.send("DELETE", f"/v1/keys/{quote(key, safe='')}")
