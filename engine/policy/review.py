"""Who may decide, whether a second approval is needed, and what is not reviewed yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from engine.common.review_coverage import CoverageGaps, coverage_gaps, requires_full_review
from engine.common.text import visible
from engine.models import Case, Claim, DecisionOutcome, Level, Principal, ReviewRecord


def decision_obstacle(
    case: Case, by: Principal, outcome: DecisionOutcome, *, two_reviewers: bool
) -> str | None:
    """Return why a reviewer may not decide on a case; None if they may.

    Where CRITICAL takes two reviewers, neither is the requester, and nobody approves twice, by whatever name
    or token. A deny ends it, whichever of them denies.
    """
    if not _critical(case) or not two_reviewers:
        return None
    if by.is_same_person(case.submission.requester):
        return "a requester does not decide about a CRITICAL submission of their own"
    if outcome is DecisionOutcome.APPROVED and any(by.is_same_person(review.by) for review in case.reviews):
        return "another reviewer has to approve as well"
    return None


def needs_second_approval(case: Case, *, two_reviewers: bool) -> bool:
    """Return whether a case needs another reviewer's approval after this one."""
    return two_reviewers and _critical(case) and not case.reviews


def claim(case: Case, by: Principal, now: datetime, seconds: float) -> Claim | None:
    """Return a reviewer's claim on a case from `now` on; None where another reviewer's still holds."""
    held = case.claim
    if held is not None and not held.is_of(by) and now < held.until <= now + timedelta(seconds=seconds):
        return None
    return Claim(by=by.name, until=now + timedelta(seconds=seconds), id=by.id)


def unreviewed_items(case: Case, review_record: ReviewRecord | None) -> tuple[str, ...]:
    """Return what is still to be reviewed before a HIGH or CRITICAL case can be approved."""
    return (
        tuple(_gap_sentences(case, coverage_gaps(case, review_record or ReviewRecord(seconds=0))))
        if requires_full_review(case)
        else ()
    )


def _gap_sentences(case: Case, missing: CoverageGaps) -> Iterator[str]:
    if missing.purpose:
        yield "what the agent says it is for was not on screen"
    for first, _ in missing.lines[:1]:
        yield f"line {first} was not on screen"
    for number in missing.files:
        yield f"the input file {visible(case.submission.draft.files[number].name)[:200]} was not on screen"
    for number in missing.violations:
        yield f"{_where(case, number)} was not on screen"
    for number in missing.untriaged:
        yield f"{_where(case, number)} was neither accepted, nor mitigated, nor called a false positive"


def _where(case: Case, number: int) -> str:
    violation = case.analysis.violations[number]
    return f"the violation {violation.rule} in line {violation.span.line}"


def _critical(case: Case) -> bool:
    return case.assessment.risk is Level.CRITICAL
