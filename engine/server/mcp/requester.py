"""Which agent calls a tool: the holder of the request's token, or the one behind this connection."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from engine.common.errors import Problem
from engine.common.text import mark_hidden
from engine.server.http.middleware.authentication import bearer

Context = ServerRequestContext[Any, Any]
LINKS_SINCE = "2025-06-18"
UNNAMED = "mcp"
"""What the official SDK calls a client whose program gives itself no name."""


def client_name(context: Context) -> str:
    """Return the name that the agent's program gives itself: a label, which proves nothing."""
    about = context.session.client_params
    return mark_hidden(about.client_info.name)[:64] if about and about.client_info.name else UNNAMED


def asks_for_progress(context: Context) -> bool:
    """Return whether a call's client wants to hear how it goes on: it waits as long as it does."""
    meta = context.meta
    return meta is not None and meta.get("progress_token") is not None


def links_understood(context: Context) -> bool:
    """Return whether links to resources may be in results: in its revision, and for a client with a name.

    Programs that leave their SDK's own name often fail at a link (AutoGen), or call it a picture (LangChain).
    """
    return str(context.protocol_version) >= LINKS_SINCE and client_name(context) != UNNAMED


def token_of(context: Context) -> str:
    """Return the secret of the token that a request over HTTP came with.

    Raises:
        Problem: it came without one.
    """
    secret = bearer(context.request.headers) if isinstance(context.request, Request) else ""
    if not secret:
        raise Problem(401, "an agent over HTTP needs a token", hint="Type: pratique token create")
    return secret
