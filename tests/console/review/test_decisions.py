"""Decisions on their way, narrow grants, and reasons that are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.review import reasons
from console.review.decisions import DecisionBuffer, PendingDecision, outcome_message
from console.review.grant_reduction import LimitChoice, grant, grant_choices
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Limits, Package, Permissions
from tests.console.support.fake_engine import case

ONE = PendingDecision(case("s-1", "1"), DecisionOutcome.APPROVED)
TWO = PendingDecision(case("s-2", "2"), DecisionOutcome.DENIED)


class Sent:
    """Takes what is sent."""

    def __init__(self) -> None:
        self.decided: list[PendingDecision] = []

    async def __call__(self, decided: tuple[PendingDecision, ...]) -> None:
        self.decided += decided


async def test_a_decision_is_sent_after_its_time() -> None:
    """What is not undone goes out."""
    sent = Sent()
    await DecisionBuffer(sent, 0.01).submit((ONE,), 60)
    assert [ONE] == sent.decided


async def test_an_undone_decision_is_never_sent() -> None:
    """Undoing returns the decision, and nothing goes out."""
    sent = Sent()
    decisions = DecisionBuffer(sent, 60)
    async with asyncio.TaskGroup() as group:
        group.create_task(decisions.submit((ONE,), 600))
        await asyncio.sleep(0)
        assert (ONE,) == decisions.undo()
    assert [] == sent.decided
    assert () == decisions.undo()


async def test_a_further_decision_sends_the_one_before() -> None:
    """Only the last decision can be undone."""
    sent = Sent()
    decisions = DecisionBuffer(sent, 60)
    async with asyncio.TaskGroup() as group:
        group.create_task(decisions.submit((ONE,), 600))
        await asyncio.sleep(0)
        group.create_task(decisions.submit((TWO,), 600))
        await asyncio.sleep(0)
        assert (TWO,) == decisions.undo()
    assert [ONE] == sent.decided


async def test_a_decision_close_to_the_deadline_does_not_wait() -> None:
    """With seconds left, the time for second thoughts would become an expiry."""
    sent = Sent()
    async with asyncio.timeout(5):
        await DecisionBuffer(sent, 60).submit((ONE,), 10)
    assert [ONE] == sent.decided


ASKED = Permissions(
    domains=(Untrusted("a"), Untrusted("b")),
    packages=(Package(name=Untrusted("p"), version=Untrusted("1")),),
    secrets=(Untrusted("KEY"),),
    session=True,
)


def test_all_switches_on_is_what_was_asked() -> None:
    """Untouched, a grant is the request."""
    assert ASKED == grant(ASKED, grant_choices(ASKED)).permissions


@given(st.lists(st.tuples(st.sampled_from(list(Limits.model_fields)), st.sampled_from([-1, 1])), max_size=40))
def test_no_turn_of_a_dial_gives_more_than_was_asked(turns: list[tuple[str, int]]) -> None:
    """However the dials are turned, every limit stays valid and within the request."""
    given_ = {each.name: each for each in grant_choices(ASKED) if isinstance(each, LimitChoice)}
    for name, step in turns:
        given_[name] = given_[name].adjusted(step)
    limits = grant(ASKED, tuple(given_.values())).permissions.limits
    asked = ASKED.limits.model_dump()
    assert all(value <= asked[name] for name, value in limits.model_dump().items())


def test_reasons_are_kept_latest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reason given again moves up; there are never more than can be picked with one look."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    for number in range(20):
        reasons.remember(f"reason {number}")
    reasons.remember("reason 15")
    assert ["reason 15", "reason 19"] == reasons.load()[:2]
    assert reasons.KEPT == len(reasons.load())


def test_a_broken_file_of_reasons_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file cannot be read, the reasons that ship are offered."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    reasons.file().write_text("{", encoding="utf-8")
    assert list(reasons.FIRST) == reasons.load()


@pytest.mark.parametrize(
    ("outcome", "word"),
    [(DecisionOutcome.APPROVED, "missed"), (DecisionOutcome.DENIED, "caught"),
     (DecisionOutcome.CHANGES_REQUESTED, "caught")],
)  # fmt: skip
def test_the_answer_to_a_drill_says_what_it_was(outcome: DecisionOutcome, word: str) -> None:
    """The reviewer is told that it was one, how they answered it, that nothing ran, and what was in it."""
    ended = case("s-1", "rm -r /").as_drill("It deletes all.")
    expected = f"s-1 was a drill, and you {word} it. Nothing ran. It deletes all."
    assert expected == outcome_message(ended, outcome)
