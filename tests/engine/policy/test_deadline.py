"""The clock of a submission: it stands while a reviewer has claimed it, within a bound."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Claim,
    Draft,
    Language,
    Level,
    Principal,
    RuleMatch,
    Status,
    Submission,
)
from engine.policy.deadline import claimed_case, clock_left, extended_case, latest_deadline, released_case

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
GIVEN, EXTRA, CLAIM = 600.0, 1000.0, 300.0


def pending() -> Case:
    """Return a case that has ten minutes."""
    draft = Draft(code=Untrusted("x = 1"), language=Language.PYTHON)
    match = RuleMatch(rule="code-execution", level=Level.HIGH, reason=Untrusted("it runs code"))
    return Case(
        submission=Submission(
            id="s-1",
            draft=draft,
            requester=Principal(name=Untrusted("a")),
            submitted_at=BEGAN,
            digest="0" * 64,
        ),
        status=Status.PENDING,
        analysis=Analysis(),
        assessment=Assessment(risk=Level.HIGH, matches=(match,), deadline_seconds=GIVEN),
        deadline=BEGAN + timedelta(seconds=GIVEN),
    )


def left(case: Case, now: datetime) -> float:
    """Return the seconds until the deadline."""
    assert case.deadline is not None
    return (case.deadline - now).total_seconds()


def claimed(case: Case, now: datetime) -> Case:
    """Return the case claimed."""
    made = Claim(by=Untrusted("ada"), until=now + timedelta(seconds=CLAIM))
    return claimed_case(case, made, left(case, now), now, EXTRA)


def test_the_clock_stands_while_it_is_claimed() -> None:
    """After a claim of a hundred seconds there is as much time as before."""
    start = BEGAN + timedelta(seconds=200)
    held = claimed(pending(), start)
    later = start + timedelta(seconds=100)
    assert 400 == clock_left(held, left(held, later), later)
    assert 400 == left(released_case(held, left(held, later), later), later)


def test_a_claim_that_lapses_lets_the_clock_go_on() -> None:
    """Nobody keeps a submission by claiming it and walking away."""
    held = claimed(pending(), BEGAN)
    after = BEGAN + timedelta(seconds=CLAIM + 50)
    assert GIVEN - 50 == left(held, after)
    assert GIVEN - 50 == clock_left(held, left(held, after), after)


def test_extending_a_claimed_one_keeps_the_time_after_the_claim() -> None:
    """Ten minutes more are ten minutes more on the clock that stands."""
    held = claimed(pending(), BEGAN)
    longer = extended_case(held, 100, left(held, BEGAN), BEGAN, EXTRA)
    assert longer is not None
    assert GIVEN + 100 == clock_left(longer, left(longer, BEGAN), BEGAN)


def test_the_last_deadline_is_the_time_given_and_the_extra() -> None:
    """Counted from when it was submitted; where no time was given, the extra alone."""
    assert BEGAN + timedelta(seconds=GIVEN + EXTRA) == latest_deadline(pending(), EXTRA)
    case = pending()
    without = case.model_validate(
        case.model_dump() | {"assessment": case.assessment.model_dump() | {"deadline_seconds": None}}
    )
    assert BEGAN + timedelta(seconds=EXTRA) == latest_deadline(without, EXTRA)


def test_a_clock_that_ran_out_shows_nothing() -> None:
    """Never less than nothing, claimed or not."""
    assert 0 == clock_left(pending(), -5, BEGAN)
    held = claimed(pending(), BEGAN)
    assert 0 == clock_left(held, -5, BEGAN)
    assert 0.5 == clock_left(held, 0.5, BEGAN)


def test_at_the_moment_a_claim_ends_the_clock_goes_on() -> None:
    """From then on what is left is the time until the deadline."""
    held = claimed(pending(), BEGAN)
    end = BEGAN + timedelta(seconds=CLAIM)
    assert GIVEN + 1 == clock_left(held, GIVEN + 1, end)


def test_a_claim_at_the_last_deadline_takes_no_time_away() -> None:
    """Where no time may be added, the deadline is after what is left on the clock."""
    held = claimed_case(
        pending(), Claim(by=Untrusted("ada"), until=BEGAN + timedelta(seconds=CLAIM)), 600, BEGAN, 0
    )
    assert BEGAN + timedelta(seconds=GIVEN) == held.deadline


def test_a_bound_that_was_lowered_takes_no_time_away() -> None:
    """What was added before stays on the clock of whoever claims it now."""
    longer = extended_case(pending(), EXTRA, GIVEN, BEGAN, EXTRA)
    assert longer is not None
    made = Claim(by=Untrusted("ada"), until=BEGAN + timedelta(seconds=CLAIM))
    held = claimed_case(longer, made, left(longer, BEGAN), BEGAN, 0)
    assert BEGAN + timedelta(seconds=GIVEN + EXTRA) == held.deadline


@pytest.mark.parametrize(("seconds", "added"), [(0.5, None), (1, 1.0), (1.5, 1.5)])
def test_less_than_a_second_is_not_added(seconds: float, added: float | None) -> None:
    """A second is the least that is worth a record."""
    longer = extended_case(pending(), seconds, GIVEN, BEGAN, EXTRA)
    assert added == (None if longer is None else left(longer, BEGAN) - GIVEN)


def test_extending_what_is_claimed_without_a_clock_keeps_the_claim() -> None:
    """A claim of a case without a clock has none afterwards either."""
    case = pending().with_claim(Claim(by=Untrusted("ada"), until=BEGAN + timedelta(seconds=CLAIM)))
    longer = extended_case(case, 100, GIVEN, BEGAN, EXTRA)
    assert longer is not None
    assert case.claim == longer.claim


def test_where_all_time_was_given_there_is_none() -> None:
    """The bound is said, not silently reached."""
    case, now = pending(), BEGAN
    while longer := extended_case(case, 600, left(case, now), now, EXTRA):
        case = longer
    assert latest_deadline(case, EXTRA) == case.deadline


@given(st.lists(st.tuples(st.sampled_from(["claim", "release", "extend"]), st.floats(0, 400)), max_size=40))
def test_nobody_parks_a_submission_for_ever(steps: list[tuple[str, float]]) -> None:
    """Whatever reviewers do, the deadline is never behind the last one, and no step takes time away."""
    case, now = pending(), BEGAN
    for step, seconds in steps:
        now += timedelta(seconds=seconds)
        if left(case, now) <= 0:
            return
        clock = clock_left(case, left(case, now), now)
        if step == "claim":
            case = claimed(case, now)
        elif step == "release":
            case = released_case(case, left(case, now), now)
        else:
            case = extended_case(case, 600, left(case, now), now, EXTRA) or case
        assert left(case, now) >= clock - 1e-3
        assert case.deadline is not None
        assert case.deadline <= latest_deadline(case, EXTRA) + timedelta(milliseconds=1)
