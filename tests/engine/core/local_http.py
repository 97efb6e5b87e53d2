"""The HTTP interface of an engine of this process, without a socket."""

from __future__ import annotations

import httpx

from engine.core import Engine
from engine.models import Principal, Scope
from engine.principals.identity import owner
from engine.server.http.app import create_app
from engine.server.http.authorization import CALLER, SOCKET_OWNER, Caller


def http(engine: Engine, by: Principal, *scopes: Scope) -> httpx.AsyncClient:
    """Return a client of somebody with these scopes."""
    app = create_app(engine, lambda: None)
    caller = SOCKET_OWNER if by == owner() else Caller(by, frozenset(scopes))

    async def let_in(scope: object, receive: object, send: object) -> None:
        assert isinstance(scope, dict)
        await app({**scope, CALLER: caller}, receive, send)  # type: ignore[arg-type]

    return httpx.AsyncClient(transport=httpx.ASGITransport(let_in), base_url="http://engine")
