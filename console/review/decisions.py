"""Decisions on their way: each can be taken back for a moment before it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.models import Case, DecisionOutcome, Grant, Level, ReviewRecord

SEND_AT_ONCE_SECONDS = 5.0
"""A decision this close to the deadline is sent at once."""


@dataclass(frozen=True)
class PendingDecision:
    """What a person decided about exactly what they saw."""

    case: Case
    outcome: DecisionOutcome
    reason: str = ""
    grant: Grant | None = None
    review_record: ReviewRecord | None = None


Send = Callable[[PendingDecision], Awaitable[None]]


class DecisionBuffer:
    """Holds one decision for the time in which it can be undone. A further one sends the first at once."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self.seconds = seconds
        """How long one can be undone."""
        self._held: PendingDecision | None = None
        self._until = 0.0
        self._wake = asyncio.Event()

    @property
    def held(self) -> PendingDecision | None:
        """The decision that can still be undone."""
        return self._held

    @property
    def left(self) -> float:
        """Seconds until it is sent."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    async def take(self, decided: PendingDecision, remaining: float | None) -> None:
        """Hold a decision, then send it; `remaining` seconds are left until the deadline."""
        self._wake.set()
        seconds = (
            0.0 if remaining is not None and remaining < SEND_AT_ONCE_SECONDS + self.seconds else self.seconds
        )
        self._held, self._wake = decided, asyncio.Event()
        self._until = asyncio.get_running_loop().time() + seconds
        await self._wait(self._wake, seconds)
        if self._held is decided:
            self._held = None
        elif self._undone is decided:
            return
        await self._send(decided)

    _undone: PendingDecision | None = None

    def undo(self) -> PendingDecision | None:
        """Take the held decision back and return it."""
        undone, self._held = self._held, None
        self._undone = undone
        self._wake.set()
        return undone

    @staticmethod
    async def _wait(wake: asyncio.Event, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await wake.wait()
        except TimeoutError:
            return


def approves(case: Case) -> bool:
    """Say whether a case was approved, and not only by the first of two reviewers."""
    return case.decision is not None and case.decision.outcome is DecisionOutcome.APPROVED


def told(case: Case, outcome: DecisionOutcome) -> str:
    """Return what came of a decision, and what can be done next."""
    id = case.submission.id
    if outcome is DecisionOutcome.APPROVED and not approves(case):
        return f"{id}: noted. Another reviewer has to approve it as well."
    if outcome is DecisionOutcome.APPROVED and case.assessment.risk is not Level.CRITICAL:
        return f"{id} approved. s approves its like beforehand."
    return f"{id} {outcome.value}"
