"""Who may rehearse what. Pure."""

from __future__ import annotations

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.review.pre_approvals import POLICY
from engine.models import Case, Principal, Status
from engine.policy import Policy
from engine.principals import may
from engine.principals.roles import Action


def require_rehearsable(case: Case, by: Principal, policy: Policy) -> None:
    """Check that a principal may rehearse a case.

    Raises:
        Problem: they may not (403), it is not pending or belongs to a session (409).
    """
    id = case.submission.id
    own = policy.rehearse_on_request and case.submission.requester.is_same(by)
    if not (by is POLICY or own or may(by, Action.DECIDE)):
        raise Problem(
            403,
            f"{visible(by.name)} may not rehearse {id}",
            hint="A reviewer may; its requester only where the policy says `rehearse: on_request`.",
        )
    if case.status is not Status.PENDING:
        raise Problem(409, f"{id} is not pending: it is {case.status}")
    if builds := case.submission.draft.permissions.builds:
        names = ", ".join(visible(name) for name in builds)
        raise Problem(
            409,
            f"{id} cannot be rehearsed: {names} would run code of its own to be installed",
            hint="Only an approval grants that; have the requester name a version with a wheel.",
        )
    if case.submission.draft.session or case.submission.draft.operation:
        raise Problem(409, f"{id} belongs to a session, whose state a rehearsal does not have")


def require_stoppable(started_by: Principal, by: Principal) -> None:
    """Check that a principal may stop a rehearsal. Raises Problem (403)."""
    if not (may(by, Action.DECIDE) or started_by.is_same(by)):
        raise Problem(
            403,
            f"{visible(by.name)} may not stop this rehearsal",
            hint="A reviewer may, and whoever started it.",
        )
