"""Looks at what several engines share."""

from __future__ import annotations

import asyncio

from engine.core.engines.wake_loop import look_when_woken
from engine.history.errors import HistoryError


async def test_what_the_history_does_not_answer_is_asked_again() -> None:
    """Nobody has to wake the loop a second time."""
    woken, answered, asked = asyncio.Event(), asyncio.Event(), list[bool]()

    async def look() -> None:
        asked.append(len(asked) > 0)
        if not asked[-1]:
            raise HistoryError("the database is away")
        answered.set()

    looking = asyncio.create_task(look_when_woken(woken, look))
    woken.set()
    async with asyncio.timeout(30):
        await answered.wait()
    looking.cancel()
    await asyncio.wait({looking})
    assert [False, True] == asked
