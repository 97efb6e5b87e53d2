"""Who may decide, when one approval is not enough, and what has not been looked at yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from engine.models import Case, Claim, EyesOn, Level, Principal, Verdict


def may_not_decide(case: Case, by: Principal, verdict: Verdict, *, two_reviewers: bool) -> str | None:
    """Return why a reviewer may not decide about a case; None where they may.

    Where CRITICAL takes two reviewers, neither is the requester, and nobody approves twice. A deny ends it,
    whoever of them says it.
    """
    if not _critical(case) or not two_reviewers:
        return None
    if by.name == case.submission.requester.name:
        return "a requester does not decide about a CRITICAL submission of their own"
    if verdict is Verdict.APPROVED and any(by.name == review.by.name for review in case.reviews):
        return "another reviewer has to approve as well"
    return None


def wants_another(case: Case, *, two_reviewers: bool) -> bool:
    """Say whether an approval of a case leaves it waiting for another reviewer's."""
    return two_reviewers and _critical(case) and not case.reviews


def claim(case: Case, by: Principal, now: datetime, seconds: float) -> Claim | None:
    """Return a reviewer's claim on a case from `now` on; None where another reviewer's still holds."""
    held = case.claim
    if held is not None and held.by != by.name and now < held.until <= now + timedelta(seconds=seconds):
        return None
    return Claim(by=by.name, until=now + timedelta(seconds=seconds))


def unseen(case: Case, seen: EyesOn | None) -> tuple[str, ...]:
    """Return what stands between a HIGH or CRITICAL case and its approval: what was not on screen."""
    if case.assessment.risk.rank < Level.HIGH.rank:
        return ()
    return tuple(_unseen(case, seen or EyesOn(seconds=0)))


def _unseen(case: Case, seen: EyesOn) -> Iterator[str]:
    code = case.submission.draft.code.text
    if line := _first_missing(seen.lines, code.count("\n") + (not code.endswith("\n"))):
        yield f"line {line} was not on screen"
    shown = set(seen.violations)
    settled = {disposed.violation for disposed in seen.dispositions}
    for number, violation in enumerate(case.analysis.violations):
        where = f"the violation {violation.rule} in line {violation.span.line}"
        if number not in shown:
            yield f"{where} was not on screen"
        if violation.severity.rank >= Level.HIGH.rank and number not in settled:
            yield f"{where} was neither accepted, nor mitigated, nor called a false positive"


def _first_missing(stretches: tuple[tuple[int, int], ...], count: int) -> int | None:
    """Return the first line of `count` that is in no stretch."""
    wanted = 1
    for first, last in sorted(stretches):
        if first > wanted:
            break
        wanted = max(wanted, last + 1)
    return wanted if wanted <= count else None


def _critical(case: Case) -> bool:
    return case.assessment.risk is Level.CRITICAL
