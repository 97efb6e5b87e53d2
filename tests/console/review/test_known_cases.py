"""What was loaded in advance is shown as long as nothing has happened to it."""

from __future__ import annotations

from console.review.queue.known_cases import MOST, KnownCases
from tests.console.support.fake_engine import case


def kept(*ids: str) -> KnownCases:
    """Return what keeps some cases."""
    cases = KnownCases()
    for id in ids:
        cases.keep(case(id, "1"), cases.moment)
    return cases


def test_a_case_is_known_until_something_happens_to_it() -> None:
    """An event drops the case that it is about, and no other one."""
    cases = kept("s-1", "s-2")
    cases.note("claim.created", "s-1")
    assert (False, True) == ("s-1" in cases, "s-2" in cases)


def test_a_case_that_changed_while_it_was_loaded_is_not_kept() -> None:
    """What came before an event may be older than it."""
    cases = KnownCases()
    asked = cases.moment
    cases.note("claim.created", "s-1")
    cases.keep(case("s-1", "1"), asked)
    assert cases.find("s-1") is None


def test_events_about_others_let_a_case_be_kept() -> None:
    """In a busy queue something always happens while a case is loaded."""
    cases = KnownCases()
    asked = cases.moment
    cases.note("claim.created", "s-2")
    cases.keep(case("s-1", "1"), asked)
    assert "s-1" in cases


def test_another_policy_or_connection_drops_every_case() -> None:
    """A policy may change what is shown of all; without a connection events are missed."""
    cases = kept("s-1", "s-2")
    cases.note("policy.adopted", "policy")
    assert (False, False) == ("s-1" in cases, "s-2" in cases)
    cases = kept("s-1")
    cases.clear()
    assert "s-1" not in cases


def test_only_the_last_ones_are_kept() -> None:
    """However long somebody reviews, a bounded number is held."""
    cases = kept(*(f"s-{number}" for number in range(MOST + 5)))
    assert (False, True) == ("s-4" in cases, "s-5" in cases)
