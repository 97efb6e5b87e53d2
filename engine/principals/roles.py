"""What each role may do."""

from __future__ import annotations

from engine.common.backports import StrEnum
from engine.models import Principal, Role


class Action(StrEnum):
    """The actions that roles allow."""

    SUBMIT = "submit"
    DECIDE = "decide"
    STEER = "stop, freeze or kill a run"
    LOOK = "look at what is not their own"
    MANAGE = "change pre-approvals"


_MAY: dict[Role, frozenset[Action]] = {
    Role.REQUESTER: frozenset({Action.SUBMIT}),
    Role.REVIEWER: frozenset({Action.SUBMIT, Action.DECIDE, Action.STEER, Action.LOOK, Action.MANAGE}),
    Role.AUDITOR: frozenset({Action.LOOK}),
    Role.ADMIN: frozenset(Action),
}


def may(principal: Principal, action: Action) -> bool:
    """Return whether one of a principal's roles allows an action."""
    return any(action in _MAY[role] for role in principal.roles)
