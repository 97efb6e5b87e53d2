"""Decisions that can be undone for a few seconds before they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.common.text import many
from engine.models import Case, DecisionOutcome, Grant, Level, LineComment, ReviewRecord, Status

SEND_AT_ONCE_SECONDS = 5.0
"""A decision this close to the deadline is sent at once."""
OUTPUT_FIRST_SECONDS = 0.4
"""How long after an approval other changes wait: each layout of the screen would delay the first output."""


@dataclass(frozen=True)
class PendingDecision:
    """A decision of the reviewer about exactly the case that was displayed."""

    case: Case
    outcome: DecisionOutcome
    reason: str = ""
    grant: Grant | None = None
    review_record: ReviewRecord | None = None
    comments: tuple[LineComment, ...] = ()


Batch = tuple[PendingDecision, ...]
"""Decisions that were made together, such as the denial of all marked submissions."""
Send = Callable[[Batch], Awaitable[None]]


class DecisionBuffer:
    """Holds the last decisions for as long as they can be undone; the next ones send them at once."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self.seconds = seconds
        """How long they can be undone."""
        self._held: Batch = ()
        self._undone: Batch = ()
        self._until = 0.0
        self._wake = asyncio.Event()

    @property
    def held(self) -> Batch:
        """The decisions that can still be undone."""
        return self._held

    @property
    def seconds_left(self) -> float:
        """Seconds until they are sent."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    async def submit(self, decisions: Batch, remaining: float | None) -> None:
        """Hold decisions, then send them; `remaining` seconds are left to the first deadline."""
        self._wake.set()
        urgent = remaining is not None and remaining < SEND_AT_ONCE_SECONDS + self.seconds
        seconds = 0.0 if urgent else self.seconds
        self._held, self._wake = decisions, asyncio.Event()
        self._until = asyncio.get_running_loop().time() + seconds
        await self._wait(self._wake, seconds)
        if self._held is decisions:
            self._held = ()
        elif self._undone is decisions:
            return
        await self._send(decisions)

    def undo(self) -> Batch:
        """Drop the held decisions and return them."""
        self._undone, self._held = self._held, ()
        self._wake.set()
        return self._undone

    def send_now(self) -> None:
        """Send what is held without waiting any longer."""
        self._wake.set()

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


def describe(decisions: Batch) -> str:
    """Return what decisions are about: the ID of one submission, or how many there are."""
    return decisions[0].case.submission.id if len(decisions) == 1 else many(len(decisions), "submission")


def outcome_message(case: Case, outcome: DecisionOutcome) -> str:
    """Return the message about a decision that was sent, and what can be done next."""
    id = case.submission.id
    if case.status is Status.DRILL:
        word = "missed" if outcome is DecisionOutcome.APPROVED else "caught"
        return f"{id} was a drill, and you {word} it. Nothing ran. {case.drill}"
    if outcome is DecisionOutcome.APPROVED and not is_approved(case):
        return f"{id}: approved by you. A second reviewer must approve it, too."
    if outcome is DecisionOutcome.APPROVED and case.assessment.risk is not Level.CRITICAL:
        return f"{id} approved. Press s to pre-approve identical submissions."
    if outcome is DecisionOutcome.CHANGES_REQUESTED:
        return f"{id}: changes requested. The agent gets your comments."
    return f"{id} {outcome.value}"


def outcome_word(outcome: DecisionOutcome) -> str:
    """Return an outcome as a word."""
    return outcome.value.replace("_", " ")
