"""Decisions that can be undone for a few seconds before they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.models import Case, DecisionOutcome, Grant, Level, ReviewRecord

SEND_AT_ONCE_SECONDS = 5.0
"""A decision this close to the deadline is sent at once."""


@dataclass(frozen=True)
class PendingDecision:
    """A decision of the reviewer about exactly the case that was displayed."""

    case: Case
    outcome: DecisionOutcome
    reason: str = ""
    grant: Grant | None = None
    review_record: ReviewRecord | None = None


Send = Callable[[PendingDecision], Awaitable[None]]


class DecisionBuffer:
    """Holds one decision for as long as it can be undone; the next decision sends it at once."""

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
    def seconds_left(self) -> float:
        """Seconds until it is sent."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    async def submit(self, decision: PendingDecision, remaining: float | None) -> None:
        """Hold a decision, then send it; `remaining` seconds are left to the deadline."""
        self._wake.set()
        seconds = (
            0.0 if remaining is not None and remaining < SEND_AT_ONCE_SECONDS + self.seconds else self.seconds
        )
        self._held, self._wake = decision, asyncio.Event()
        self._until = asyncio.get_running_loop().time() + seconds
        await self._wait(self._wake, seconds)
        if self._held is decision:
            self._held = None
        elif self._undone is decision:
            return
        await self._send(decision)

    _undone: PendingDecision | None = None

    def undo(self) -> PendingDecision | None:
        """Drop the held decision and return it."""
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


def is_approved(case: Case) -> bool:
    """Say whether a case was approved, and not only by the first of two reviewers."""
    return case.decision is not None and case.decision.outcome is DecisionOutcome.APPROVED


def outcome_message(case: Case, outcome: DecisionOutcome) -> str:
    """Return the message about a decision that was sent, and what can be done next."""
    id = case.submission.id
    if outcome is DecisionOutcome.APPROVED and not is_approved(case):
        return f"{id}: approved by you. A second reviewer must approve it, too."
    if outcome is DecisionOutcome.APPROVED and case.assessment.risk is not Level.CRITICAL:
        return f"{id} approved. Press s to pre-approve identical submissions."
    return f"{id} {outcome.value}"
