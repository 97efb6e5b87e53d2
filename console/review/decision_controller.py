"""Sends the decisions of a reviewer to the engine, each after the time in which it can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.review.decisions import DecisionBuffer, PendingDecision, is_approved, outcome_message

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from engine.models import Case


class DecisionController:
    """Holds the decision that can still be undone, and the last case that was approved."""

    def __init__(self, app: ConsoleApp, undo_seconds: float) -> None:
        self._app = app
        self._buffer = DecisionBuffer(self._send, undo_seconds)
        self.last_approved: Case | None = None

    @property
    def held(self) -> PendingDecision | None:
        """The decision that can still be undone."""
        return self._buffer.held

    @property
    def seconds_left(self) -> float:
        """Seconds until the held decision is sent."""
        return self._buffer.seconds_left

    @property
    def undo_seconds(self) -> float:
        """For how long a decision can be undone."""
        return self._buffer.seconds

    @undo_seconds.setter
    def undo_seconds(self, seconds: float) -> None:
        self._buffer.seconds = seconds

    def submit(self, decision: PendingDecision, remaining: float | None) -> None:
        """Send a decision unless it is undone before; `remaining` seconds are left to the deadline."""
        self._app.run_worker(self._buffer.submit(decision, remaining), group="decision")

    def undo(self) -> None:
        """Drop the held decision."""
        undone = self._buffer.undo()
        if undone is not None:
            self._app.notify(f"Undone: {undone.case.submission.id} is still pending.")

    async def _send(self, decision: PendingDecision) -> None:
        submission = decision.case.submission
        case = await self._app.connection.call(
            lambda client: client.decide(
                submission.id,
                decision.outcome,
                submission.digest,
                decision.reason,
                decision.grant,
                decision.review_record,
            )
        )
        if case is not None:
            self._app.notify(outcome_message(case, decision.outcome))
            self.last_approved = case if is_approved(case) else self.last_approved
