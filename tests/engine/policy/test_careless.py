"""Approvals that look careless."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.common.text import Untrusted
from engine.models import (
    Case,
    Decision,
    DecisionOutcome,
    KillReason,
    Principal,
    ReviewRecord,
    Role,
    ShownBy,
)
from engine.models.past_decisions import CarelessSign
from engine.policy.careless import report
from tests.console.support.fake_engine import case, result

ADA, BOB = (
    Principal(name=Untrusted(name), id=f"token:{name}", roles=frozenset({Role.REVIEWER}))
    for name in ("ada", "bob")
)


def approved(
    seconds: float = 30, by: Principal = ADA, shown_by: ShownBy = ShownBy.CONSOLE, **more: object
) -> Case:
    """Return an approved case whose display took so long."""
    pending = case("s-1", "print(1)")
    decision = Decision.model_validate(
        {
            "submission": "s-1",
            "digest": pending.submission.digest,
            "outcome": DecisionOutcome.APPROVED,
            "by": by,
            "at": datetime.now(UTC),
            "review_record": ReviewRecord(seconds=seconds, shown_by=shown_by),
            **more,
        }
    )
    return pending.model_copy(update={"decision": decision})


def killed(reason: KillReason) -> Case:
    """Return an approved case whose run ended so."""
    return approved().with_result(result().model_copy(update={"kill_reason": reason}))


@pytest.mark.parametrize(
    ("given", "surprising", "signs"),
    [
        (approved(1.9), set(), (CarelessSign.HASTY,)),
        (approved(), {"s-1"}, (CarelessSign.SURPRISE,)),
        (killed(KillReason.MEMORY), set(), (CarelessSign.KILLED,)),
        (approved(0.5), {"s-1"}, (CarelessSign.HASTY, CarelessSign.SURPRISE)),
    ],
)
def test_each_sign_is_named(given: Case, surprising: set[str], signs: tuple[CarelessSign, ...]) -> None:
    """Under two seconds, a surprise or a kill afterwards, and what there is of them together."""
    (found,) = report([given], surprising).careless
    assert signs == found.signs


@pytest.mark.parametrize(
    "given",
    [
        approved(2.0),
        killed(KillReason.NONE),
        killed(KillReason.ENGINE_LOST),
        approved(0, shown_by=ShownBy.STATED),
        approved(0, shown_by=ShownBy.AUTHOR),
        approved(0, pre_approval="a-1"),
        approved(0, outcome=DecisionOutcome.DENIED),
        approved(0, by=Principal(name=Untrusted("policy"), roles=frozenset())),
        case("s-2", "print(1)"),
    ],
)
def test_what_was_read_denied_or_not_displayed_is_not_careless(given: Case) -> None:
    """Nor is what the policy or a pre-approval approved, or the engine ended."""
    assert () == report([given], ()).careless


def test_the_newest_is_listed_first() -> None:
    """Whatever order the cases come in."""
    new, old = (datetime(2030, 1, day, tzinfo=UTC) for day in (2, 1))
    found = report([approved(1, at=old), approved(1, at=new)], ()).careless
    assert [new, old] == [each.at for each in found]


def test_a_reviewer_sees_their_own_alone() -> None:
    """The approvals of others are neither listed nor counted; a first approval counts as well."""
    second = approved(1, BOB)
    both = second.model_copy(update={"reviews": (approved(1).decision,)})
    assert (2, 2) == (report([both], ()).approvals, len(report([both], ()).careless))
    mine = report([both], (), ADA)
    assert (1, ["ada"]) == (mine.approvals, [each.reviewer.text for each in mine.careless])
