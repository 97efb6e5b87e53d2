"""Which approved runs may leave their engine, and in which order they start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engine.common.text import Untrusted
from engine.core.engines import movable
from engine.core.queue import ActiveSubmission
from engine.core.runs.run_stream import RunStream
from engine.models import (
    Case,
    Decision,
    DecisionOutcome,
    Draft,
    Grant,
    Language,
    OutputChunk,
    Permissions,
    Principal,
)
from engine.policy import shipped
from tests.engine.history.conftest import build_case

ADA = Principal(name=Untrusted("ada"))
POLICY = shipped("strict")
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


def approved(id: str, requester: str = "agent", session: str = "", **granted: object) -> Case:
    """Return an approved case."""
    case = build_case(id, requester=requester)
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON, session=session)
    return case.model_copy(
        update={
            "submission": case.submission.model_copy(update={"draft": draft}),
            "decision": Decision(
                submission=id,
                digest=case.submission.digest,
                outcome=DecisionOutcome.APPROVED,
                by=ADA,
                at=NOON + timedelta(seconds=int(id)),
                grant=Grant(permissions=Permissions.model_validate(granted)),
            ),
        }
    )


def waiting(case: Case) -> ActiveSubmission:
    """Return an entry of the queue."""

    async def nothing(_: int) -> Sequence[OutputChunk]:
        return ()

    return ActiveSubmission(case, RunStream(nothing))


@pytest.mark.parametrize(
    ("case", "stays"),
    [
        (approved("1"), False),
        (approved("1", domains=("example.com",), files=("a.csv",)), False),
        (approved("1", domains=("example.com",), secrets=("API_KEY",)), True),
        (approved("1", session="ses-1"), True),
        (build_case("1"), True),
    ],
    ids=["nothing", "hosts and files", "a secret", "a session", "no approval"],
)
def test_what_needs_its_own_engine_stays(case: Case, stays: bool) -> None:
    """The sandbox of a session and the value of a secret are nowhere else for sure."""
    assert stays == movable.stays(case, POLICY)


def test_what_has_to_be_observed_stays() -> None:
    """Another engine may be unable to observe."""
    assert movable.stays(approved("1"), replace(POLICY, observed_only=True))


def test_requesters_take_turns() -> None:
    """Each has one started before anybody has a second one, the first that was approved first."""
    cases = [("4", "b"), ("1", "a"), ("2", "a"), ("3", "a"), ("5", "b"), ("6", "c")]
    ordered = movable.in_turn(waiting(approved(id, requester)) for id, requester in cases)
    assert ["1", "4", "6", "2", "5", "3"] == [entry.id for entry in ordered]
