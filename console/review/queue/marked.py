"""What is done to all marked submissions at once: deny or claim them. Nothing is approved this way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.app.state import console_app
from console.review.queue.listing import QueueList, seconds_left
from engine.common.errors import Problem
from engine.common.text import many

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.models import Case


async def deny_marked(screen: Screen[None]) -> None:
    """Ask for one reason, then deny every marked submission with it."""
    from console.review.deny import DenyScreen  # noqa: PLC0415  on its first use

    call = console_app(screen).connection.call
    marked = screen.query_one(QueueList).marked
    cases: list[Case] = []
    for each in marked:
        case = await call(lambda client, id=each.id: client.case(id))  # type: ignore[misc]
        if case is None:
            return
        cases.append(case)
    decisions = await screen.app.push_screen_wait(DenyScreen(*cases))
    controller = console_app(screen).decisions
    if decisions and controller is not None:
        times = [left for each in marked if (left := seconds_left(each)) is not None]
        controller.submit(decisions, min(times, default=None))


async def claim_marked(screen: Screen[None]) -> None:
    """Claim every marked submission, and say which ones somebody else has."""
    marked = screen.query_one(QueueList).marked
    refused: list[str] = []
    for each in marked:
        try:
            await console_app(screen).connection.client.claim(each.id)
        except Problem as problem:
            refused.append(str(problem))
    words = [f"Claimed {many(len(marked) - len(refused), 'submission')}.", *refused[:3]]
    screen.notify("\n".join(words), severity="warning" if refused else "information")
