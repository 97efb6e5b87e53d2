"""The lists and forms that Review opens over the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.app.state import console_app
from console.review.queue.listing import QueueList
from engine.models import Level

if TYPE_CHECKING:
    from textual.screen import Screen

    from console.review.reader import SubmissionReader
    from console.review.rehearsal.controller import RehearsalController


def open_sheet(
    screen: Screen[None], name: str, reader: SubmissionReader, rehearsals: RehearsalController
) -> None:
    """Open `rehearsal`, `pre-approve`, `pre-approvals`, `suggestions`, `expired` or `unread`."""
    from console.review.pre_approvals import PreApprovalsScreen  # noqa: PLC0415  on its first use
    from console.review.queue.expired import ExpiredScreen  # noqa: PLC0415  on its first use
    from console.review.suggestions import SuggestionsScreen  # noqa: PLC0415  on its first use

    if name == "rehearsal":
        rehearsals.open()
    elif name == "pre-approve":
        _pre_approve(screen)
    elif name == "unread":
        _list_unread(screen, reader)
    elif name == "expired":
        screen.app.push_screen(ExpiredScreen(), lambda id: screen.query_one(QueueList).go_to(id or ""))
    elif name == "suggestions":
        screen.app.push_screen(SuggestionsScreen())
    else:
        screen.app.push_screen(PreApprovalsScreen())


def _list_unread(screen: Screen[None], reader: SubmissionReader) -> None:
    from console.review.reading.unread import UnreadScreen, unread_list  # noqa: PLC0415  on its first use

    reader.record()
    if reader.recorder is None:
        return
    if parts := unread_list(reader.recorder.coverage_gaps, reader.recorder.case):
        screen.app.push_screen(UnreadScreen(parts), reader.show_unread)
    else:
        screen.notify("Nothing is unread.")


def _pre_approve(screen: Screen[None]) -> None:
    """Offer to pre-approve submissions identical to the last one that was approved."""
    from console.review.pre_approvals import PreApprovalScreen  # noqa: PLC0415  on its first use

    decisions = console_app(screen).decisions
    case = decisions.last_approved if decisions else None
    if case is None or case.assessment.risk is Level.CRITICAL:
        screen.notify("Approve a submission first. CRITICAL submissions cannot be pre-approved.")
    else:
        screen.app.push_screen(PreApprovalScreen(case))
