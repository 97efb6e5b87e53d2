"""What is done to all marked submissions at once: deny or claim them, or approve equivalent ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from console.app.state import console_app
from console.review.queue.listing import QueueList
from console.review.queue.times import seconds_left
from engine.common.errors import Problem
from engine.common.text import many, visible

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.models import Case, ReviewRecord, Summary


async def approve_marked(screen: Screen[None], shown: Case, record: ReviewRecord) -> None:
    """Approve the marked submissions with the record of the one on screen, where all are equivalent to it."""
    from console.review.approve import ApproveScreen  # noqa: PLC0415  on its first use

    rows = screen.query_one(QueueList)
    marked, own = rows.marked, shown.submission.id
    cases = await _load(screen, marked)
    if other := next((case for case in cases if not rows.equivalent(own, case.submission.id)), None):
        screen.notify(
            f"{other.submission.id} differs from the one on screen. Press E twice to remove all marks, "
            "and = to mark only what is equivalent.",
            severity="warning",
        )
        return
    others = tuple(case for case in cases if case.submission.id != shown.submission.id)
    made = await screen.app.push_screen_wait(ApproveScreen(shown, others))
    controller = console_app(screen).decisions
    if made is not None and controller is not None:
        decisions = tuple(
            replace(made, case=case, review_record=_record_for(case, shown, record))
            for case in (shown, *others)
        )
        controller.submit(decisions, _time_left(marked))


async def deny_marked(screen: Screen[None]) -> None:
    """Ask for one reason, then deny every marked submission with it."""
    from console.review.deny import DenyScreen  # noqa: PLC0415  on its first use

    marked = screen.query_one(QueueList).marked
    cases = await _load(screen, marked)
    decisions = await screen.app.push_screen_wait(DenyScreen(*cases)) if cases else None
    controller = console_app(screen).decisions
    if decisions and controller is not None:
        controller.submit(decisions, _time_left(marked))


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


async def assign_marked(screen: Screen[None], to: str) -> None:
    """Assign every marked submission, or else the one on screen, to a reviewer; say which ones were not."""
    rows = screen.query_one(QueueList)
    ids = [each.id for each in rows.marked] or ([rows.chosen.id] if rows.chosen else [])
    if not ids:
        return
    answers = await console_app(screen).connection.call(lambda client: client.reviews.assign(ids, to))
    refused = [each.problem for each in answers or () if each.problem]
    if answers:
        whom = f"to {visible(to)}" if to else "to nobody"
        words = [f"Assigned {many(len(answers) - len(refused), 'submission')} {whom}.", *refused[:3]]
        screen.notify("\n".join(words), severity="warning" if refused else "information", markup=False)


def identical(one: Case, other: Case) -> bool:
    """Say whether all that a reviewer judges is the same: only who submitted it, and when, may differ."""
    drafts = [each.submission.draft.without_thread() for each in (one, other)]
    levels = [(each.analysis, each.assessment.risk) for each in (one, other)]
    return drafts[0] == drafts[1] and levels[0] == levels[1]


def _record_for(case: Case, shown: Case, record: ReviewRecord) -> ReviewRecord:
    """Return the record for a case: that of other bytes names the submission that was on screen."""
    return record if identical(case, shown) else record.of_equivalent(shown.submission.id)


async def _load(screen: Screen[None], marked: tuple[Summary, ...]) -> tuple[Case, ...]:
    """Return the cases of marked submissions; none where the engine does not have each."""
    call = console_app(screen).connection.call
    cases: list[Case] = []
    for each in marked:
        case = await call(lambda client, id=each.id: client.case(id))  # type: ignore[misc]
        if case is None:
            return ()
        cases.append(case)
    return tuple(cases)


def _time_left(marked: tuple[Summary, ...]) -> float | None:
    return min((left for each in marked if (left := seconds_left(each)) is not None), default=None)
