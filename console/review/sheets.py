"""The lists and forms that Review opens beside the queue: pre-approvals, and what expired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.app.state import console_app
from engine.models import Level

if TYPE_CHECKING:
    from textual.screen import Screen


def open_sheet(screen: Screen[None], name: str) -> None:
    """Open `pre-approve`, `pre-approvals` or `expired`."""
    from console.review.pre_approvals import PreApprovalsScreen  # noqa: PLC0415  on its first use
    from console.review.queue.expired import ExpiredScreen  # noqa: PLC0415  on its first use

    if name == "pre-approve":
        _pre_approve(screen)
    else:
        screen.app.push_screen(ExpiredScreen() if name == "expired" else PreApprovalsScreen())


def _pre_approve(screen: Screen[None]) -> None:
    """Offer to pre-approve submissions identical to the last one that was approved."""
    from console.review.pre_approvals import PreApprovalScreen  # noqa: PLC0415  on its first use

    decisions = console_app(screen).decisions
    case = decisions.last_approved if decisions else None
    if case is None or case.assessment.risk is Level.CRITICAL:
        screen.notify("Approve a submission first. CRITICAL submissions cannot be pre-approved.")
    else:
        screen.app.push_screen(PreApprovalScreen(case))
