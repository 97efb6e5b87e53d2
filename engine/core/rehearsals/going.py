"""One rehearsal while it goes on, and how it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from engine.models import Principal


class GoingRehearsal:
    """A rehearsal that somebody started and that can be stopped at any time."""

    def __init__(self, by: Principal) -> None:
        self.by = by
        self.stopped_by: Principal | None = None
        self._deadline: asyncio.Timeout | None = None

    @contextlib.asynccontextmanager
    async def bounded(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError in what is done meanwhile, once it was stopped or took too long."""
        async with asyncio.timeout(0 if self.stopped_by else seconds) as self._deadline:
            yield

    def stop(self, by: Principal) -> None:
        """Stop it; nothing happens where it has been stopped or is over."""
        if self.stopped_by is not None:
            return
        self.stopped_by = by
        if self._deadline is not None:
            with contextlib.suppress(RuntimeError):
                self._deadline.reschedule(asyncio.get_running_loop().time())
