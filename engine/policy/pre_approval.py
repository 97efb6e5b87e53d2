"""Pre-approvals: which of them approve a submission."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from engine.models import Case, Level, MatchMode, PreApproval
from engine.policy.comparison.fingerprint import structural_fingerprint
from engine.policy.grants import excess

MOST_USES = 1000
MOST_DAYS = 90


def pre_approval_error(pre_approval: PreApproval) -> str | None:
    """Return why a pre-approval is not allowed; None if it is."""
    if pre_approval.ceiling is Level.CRITICAL:
        return "a pre-approval never approves CRITICAL"
    if pre_approval.uses > MOST_USES:
        return f"a pre-approval has at most {MOST_USES} uses"
    if not pre_approval.at < pre_approval.until <= pre_approval.at + timedelta(days=MOST_DAYS):
        return f"a pre-approval expires within {MOST_DAYS} days"
    return None


def matching_pre_approval(
    case: Case, pre_approvals: Iterable[PreApproval], now: datetime
) -> PreApproval | None:
    """Return the pre-approval that approves a case: an exact match, or else one by structure."""
    able = [pre_approval for pre_approval in pre_approvals if _holds(case, pre_approval, now)]
    exact = [pre_approval for pre_approval in able if pre_approval.value == case.submission.digest]
    if exact:
        return exact[0]
    shapes = [pre_approval for pre_approval in able if pre_approval.match_mode is MatchMode.STRUCTURE]
    own = structural_fingerprint(case.submission.draft, case.analysis.verdict) if shapes else None
    return next((pre_approval for pre_approval in shapes if pre_approval.value == own), None)


def _holds(case: Case, pre_approval: PreApproval, now: datetime) -> bool:
    asking = case.submission.requester
    return (
        not pre_approval.revoked
        and pre_approval.used < pre_approval.uses
        and pre_approval.at <= now < pre_approval.until
        and (pre_approval.requester, pre_approval.principal) == (asking.name, asking.id)
        and case.analysis.complete
        and case.assessment.risk.rank <= pre_approval.ceiling.rank < Level.CRITICAL.rank
        and not excess(
            pre_approval.grant.permissions,
            case.submission.draft.permissions,
            case.submission.draft.permissions.limits,
        )
    )
