"""Sandboxes that stay, as the console opens and ends them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.client.sandboxes import SandboxClient
from engine.common.errors import Problem
from engine.models import Sandbox

if TYPE_CHECKING:
    from textual.widget import Widget

Call = Callable[[SandboxClient], Awaitable[Sandbox]]


async def kept(screen: Widget, call: Call) -> Sandbox | None:
    """Return the sandbox that `call` is about; where the answer is no, say so and return None."""
    try:
        async with SandboxClient() as client:
            return await call(client)
    except Problem as problem:
        screen.notify(str(problem), severity="error")
        return None
