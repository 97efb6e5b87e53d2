"""Sessions of the console: opens and closes them through the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.client.sessions import SessionClient
from engine.common.errors import Problem
from engine.models import Session

if TYPE_CHECKING:
    from textual.widget import Widget

Call = Callable[[SessionClient], Awaitable[Session]]


async def kept(screen: Widget, call: Call) -> Session | None:
    """Return the session that `call` is about; where the answer is no, say so and return None."""
    try:
        async with SessionClient() as client:
            return await call(client)
    except Problem as problem:
        screen.notify(str(problem), severity="error")
        return None
