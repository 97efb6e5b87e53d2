"""The session of Explore: a sandbox that keeps its state between runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import Session

if TYPE_CHECKING:
    from textual.widget import Widget


async def request_session(screen: Widget, call: Callable[[Client], Awaitable[Session]]) -> Session | None:
    """Return the session that `call` creates or closes; on an error notify the user and return None."""
    try:
        async with Client() as client:
            return await call(client)
    except Problem as problem:
        screen.notify(str(problem), severity="error")
        return None
