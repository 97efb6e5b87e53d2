"""Which approvals look careless, by what was displayed before them and what happened after them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from engine.models import Case, Decision, DecisionOutcome, KillReason, Principal, ShownBy
from engine.models.past_decisions import CarelessApproval, CarelessReport, CarelessSign

HASTY_SECONDS = 2.0
"""Nobody reads a submission in less."""
_DISPLAYED = frozenset({ShownBy.CONSOLE, ShownBy.TERMINAL})
_BLAMELESS = frozenset(
    {KillReason.NONE, KillReason.ENGINE_LOST, KillReason.INTERRUPTED, KillReason.SANDBOX_FAILED}
)
"""Ends of a run that its code has no part in."""


def report(cases: Iterable[Case], surprising: Collection[str], of: Principal | None = None) -> CarelessReport:
    """Return the approvals by people that look careless; only those `of` a reviewer, if given.

    `surprising` are the submissions whose runs did what was not predicted or not granted.
    """
    given = [(case, decision) for case in cases for decision in _by_people(case)]
    given = [(case, decision) for case, decision in given if of is None or decision.by.is_same(of)]
    found = [_approval(case, decision, surprising) for case, decision in given]
    careless = sorted((one for one in found if one.signs), key=lambda one: one.at, reverse=True)
    return CarelessReport(approvals=len(given), careless=tuple(careless))


def _by_people(case: Case) -> Iterator[Decision]:
    """Yield the approvals that a person gave after something displayed the submission to them."""
    for decision in (*case.reviews, *([case.decision] if case.decision else ())):
        record = decision.review_record
        approved = decision.outcome is DecisionOutcome.APPROVED and not decision.pre_approval
        if approved and decision.by.roles and record is not None and record.shown_by in _DISPLAYED:
            yield decision


def _approval(case: Case, decision: Decision, surprising: Collection[str]) -> CarelessApproval:
    seconds = decision.review_record.seconds if decision.review_record else 0.0
    return CarelessApproval(
        id=case.submission.id,
        reviewer=decision.by.name,
        at=decision.at,
        seconds=seconds,
        signs=tuple(_signs(case, seconds, surprising)),
    )


def _signs(case: Case, seconds: float, surprising: Collection[str]) -> Iterator[CarelessSign]:
    if seconds < HASTY_SECONDS:
        yield CarelessSign.HASTY
    if case.submission.id in surprising:
        yield CarelessSign.SURPRISE
    if case.result is not None and case.result.kill_reason not in _BLAMELESS:
        yield CarelessSign.KILLED
