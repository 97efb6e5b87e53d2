"""How long a submission still waits: its clock stops while a reviewer has claimed it, and can be extended."""

from __future__ import annotations

from datetime import datetime, timedelta

from engine.models import Case, Claim


def latest_deadline(case: Case, most_extra: float) -> datetime:
    """Return when a submission expires in any case: claims and extensions add `most_extra` s at most."""
    given = case.assessment.deadline_seconds or 0.0
    return case.submission.submitted_at + timedelta(seconds=given + most_extra)


def clock_left(case: Case, left: float, now: datetime) -> float:
    """Return the seconds on a case's clock, which stands while it is claimed.

    `left` are the seconds until its deadline, which lies behind the end of the claim.
    """
    claim = case.claim
    if claim is None or claim.clock is None or claim.until <= now:
        return max(0.0, left)
    return max(0.0, min(left, claim.clock))


def claimed_case(case: Case, claim: Claim, left: float, now: datetime, most_extra: float) -> Case:
    """Return a case that is claimed: its clock stands until the claim ends, as long as time may be added."""
    clock = clock_left(case, left, now)
    wanted = claim.until + timedelta(seconds=clock)
    deadline = max(now + timedelta(seconds=clock), min(wanted, latest_deadline(case, most_extra)))
    return case.with_claim(claim.with_clock(clock)).with_deadline(deadline)


def released_case(case: Case, left: float, now: datetime) -> Case:
    """Return a case without its claim: its clock goes on."""
    return case.with_claim(None).with_deadline(now + timedelta(seconds=clock_left(case, left, now)))


def extended_case(case: Case, seconds: float, left: float, now: datetime, most_extra: float) -> Case | None:
    """Return a case with up to so many more seconds to decide; None where none may be added."""
    room = (latest_deadline(case, most_extra) - now).total_seconds() - left
    more = min(seconds, room)
    if more < 1:
        return None
    extended = case.with_deadline(now + timedelta(seconds=left + more))
    if case.claim and case.claim.clock is not None:
        return extended.with_claim(case.claim.with_clock(case.claim.clock + more))
    return extended
