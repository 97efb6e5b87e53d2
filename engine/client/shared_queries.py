"""Shared queries through the client."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models.shared_query import NewSharedQuery, SharedQuery

_QUERIES = TypeAdapter(tuple[SharedQuery, ...])


class SharedQueriesClient:
    """Lists, shares and removes the queries of all responders."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[SharedQuery, ...]:
        """Return the shared queries, by name."""
        return _QUERIES.validate_json(await self._transport.get("/v1/queries"))

    async def share(self, name: str, query: str) -> SharedQuery:
        """Share a query under a name; one of the same name is replaced."""
        body = await self._transport.post("/v1/queries", NewSharedQuery(name=name, query=query))
        return SharedQuery.model_validate_json(body)

    async def remove(self, name: str) -> None:
        """Share a query no longer."""
        await self._transport.send("DELETE", f"/v1/queries/{quote(name, safe='')}")
