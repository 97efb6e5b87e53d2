"""What each role may do."""

from __future__ import annotations

from enum import StrEnum

from engine.models import Principal, Role


class Deed(StrEnum):
    """What a principal may want to do."""

    SUBMIT = "submit"
    DECIDE = "decide"
    STEER = "stop, freeze or kill a run"
    LOOK = "look at what is not their own"
    MANAGE = "change standing approvals"


_MAY: dict[Role, frozenset[Deed]] = {
    Role.REQUESTER: frozenset({Deed.SUBMIT}),
    Role.REVIEWER: frozenset({Deed.SUBMIT, Deed.DECIDE, Deed.STEER, Deed.LOOK, Deed.MANAGE}),
    Role.AUDITOR: frozenset({Deed.LOOK}),
    Role.ADMIN: frozenset(Deed),
}


def may(principal: Principal, deed: Deed) -> bool:
    """Say whether one of a principal's roles allows a deed."""
    return any(deed in _MAY[role] for role in principal.roles)
