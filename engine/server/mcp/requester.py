"""Which agent calls a tool."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from engine.common.text import mark_hidden
from engine.server.http.authorization import CALLER, Caller

Context = ServerRequestContext[Any, Any]


def requester(context: Context, *, named: bool = True) -> str:
    """Return the name of the agent's token, or the one that it gives itself over the owner's socket.

    Empty where it is not to be `named`: then it is known by the token with which this process asks.
    """
    if not named:
        return ""
    caller = context.request.scope.get(CALLER) if isinstance(context.request, Request) else None
    if isinstance(caller, Caller) and caller.token:
        return caller.token.name.text
    about = context.session.client_params
    return mark_hidden(about.client_info.name)[:64] if about and about.client_info.name else "mcp"
