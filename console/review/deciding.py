"""Decisions on their way to the engine: held for a moment, sent, or taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from console.app.connection import Attached

if TYPE_CHECKING:
    from console.review.decisions import DecisionBuffer, PendingDecision
    from engine.models import Case


class Deciding(Attached):
    """An app that sends what a person decided, unless it is undone before."""

    decisions: DecisionBuffer | None = None
    """What holds them; None until the first screen is loaded."""
    approved: Case | None = None
    """What was approved last."""

    def hold_decisions(self, seconds: float) -> None:
        """From now on hold each decision for so many seconds before it is sent."""
        from console.review.decisions import DecisionBuffer  # noqa: PLC0415  the first frame comes before the nouns

        self.decisions = DecisionBuffer(self._send, seconds)

    @work(group="decision")
    async def decide(self, decided: PendingDecision, remaining: float | None) -> None:
        """Send a decision, unless it is undone before."""
        if self.decisions is not None:
            await self.decisions.take(decided, remaining)

    async def _send(self, decided: PendingDecision) -> None:
        from console.review.decisions import approves, told  # noqa: PLC0415  the first frame comes before the nouns

        submission = decided.case.submission
        case = await self.ask(
            lambda client: client.decide(
                submission.id,
                decided.outcome,
                submission.digest,
                decided.reason,
                decided.grant,
                decided.review_record,
            )
        )
        if case is not None:
            self.notify(told(case, decided.outcome))
            self.approved = case if approves(case) else self.approved

    def action_undo(self) -> None:
        """Take the last decision back."""
        undone = self.decisions.undo() if self.decisions else None
        if undone is not None:
            self.notify(f"Not sent: {undone.case.submission.id} still waits.")
