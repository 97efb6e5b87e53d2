"""Looks at what several engines share, whenever something may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine.common import log
from engine.history.errors import HistoryError

AGAIN_SECONDS = 1.0
"""After a look that the history did not answer."""


async def look_when_woken(
    woken: asyncio.Event, look: Callable[[], Awaitable[None]], pause: float = 0.0
) -> None:
    """Look each time it is woken, until cancelled; what the history does not answer is asked again.

    Between two looks are at least `pause` seconds.
    """
    while True:
        await woken.wait()
        woken.clear()
        try:
            await look()
        except HistoryError as error:
            log.warning("history.unavailable", reason=error.title, hint=error.hint)
            await asyncio.sleep(AGAIN_SECONDS)
            woken.set()
        await asyncio.sleep(pause)
