"""Which agent calls a tool: the holder of the request's token, or the one behind this connection."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from engine.common.errors import Problem
from engine.common.text import mark_hidden
from engine.server.http.middleware.authentication import bearer

Context = ServerRequestContext[Any, Any]


def client_name(context: Context) -> str:
    """Return the name that the agent's program gives itself: a label, which proves nothing."""
    about = context.session.client_params
    return mark_hidden(about.client_info.name)[:64] if about and about.client_info.name else "mcp"


def token_of(context: Context) -> str:
    """Return the secret of the token that a request over HTTP came with.

    Raises:
        Problem: it came without one.
    """
    secret = bearer(context.request.headers) if isinstance(context.request, Request) else ""
    if not secret:
        raise Problem(401, "an agent over HTTP needs a token", hint="Type: pratique token create")
    return secret
