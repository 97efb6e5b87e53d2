"""Standing approvals: which of them a submission may rest on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from engine.models import Case, Level, MatchMode, PreApproval
from engine.policy.fingerprint import shape
from engine.policy.grants import beyond

MOST_USES = 1000
MOST_DAYS = 90


def cannot_stand(standing: PreApproval) -> str | None:
    """Return why a standing approval may not be given; None where it may."""
    if standing.ceiling is Level.CRITICAL:
        return "nothing CRITICAL rests on a standing approval"
    if standing.uses > MOST_USES:
        return f"a standing approval holds for {MOST_USES} uses at most"
    if not standing.at < standing.until <= standing.at + timedelta(days=MOST_DAYS):
        return f"a standing approval ends within {MOST_DAYS} days from now"
    return None


def resting_on(case: Case, standings: Iterable[PreApproval], now: datetime) -> PreApproval | None:
    """Return the standing approval that a case rests on: of its digest, or else of its shape."""
    able = [standing for standing in standings if _holds(case, standing, now)]
    exact = [standing for standing in able if standing.value == case.submission.digest]
    if exact:
        return exact[0]
    shapes = [standing for standing in able if standing.match_mode is MatchMode.SHAPE]
    own = shape(case.submission.draft) if shapes else None
    return next((standing for standing in shapes if standing.value == own), None)


def _holds(case: Case, standing: PreApproval, now: datetime) -> bool:
    return (
        not standing.revoked
        and standing.used < standing.uses
        and standing.at <= now < standing.until
        and standing.requester == case.submission.requester.name
        and case.analysis.complete
        and case.assessment.risk.rank <= standing.ceiling.rank < Level.CRITICAL.rank
        and not beyond(
            standing.grant.permissions,
            case.submission.draft.permissions,
            case.submission.draft.permissions.limits,
        )
    )
