"""The simulation agrees with queueing theory, keeps its books, and shows the limits that are computed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
import simpy

from tests.scale.chain import Chain
from tests.scale.deployment import Deployment, Fault, limits
from tests.scale.measured import Costs, Duration
from tests.scale.outcome import Outcome
from tests.scale.simulation import Simulation

SMALL = Deployment(nodes=6, warm=4, engines=3, reviewers=20)
COSTS = replace(Costs(), run=Duration(0.5, 2.0))
FIRST = limits(SMALL, COSTS)[0].runs_a_minute


def constant(seconds: float) -> Duration:
    """Return a duration that does not vary."""
    return Duration(seconds, seconds)


def simulated(share: float, *faults: Fault, seconds: float = 120.0) -> Outcome:
    """Simulate the small deployment at a share of its first limit."""
    return Simulation(SMALL, share * FIRST, seconds, faults, COSTS).run()


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_one_engine_waits_as_long_as_theory_says(load: float) -> None:
    """A queue with one server and constant service (M/D/1) answers after s + s * load / 2(1 - load)."""
    seconds = 0.05
    nothing = constant(1e-9)
    costs = replace(COSTS, submit_cpu=constant(seconds), rest_cpu=nothing, event=0.0, commit=0.0)
    one = replace(SMALL, engines=1, reviewed=0.0)
    outcome = Simulation(one, 60 * load / seconds, 600, costs=costs).run()
    expected = seconds + seconds * load / (2 * (1 - load))
    assert expected == pytest.approx(sum(outcome.answers) / len(outcome.answers), rel=0.1)


@pytest.mark.parametrize("what", ["zone", "database", "registry"])
def test_no_submission_is_lost(what: str) -> None:
    """Whatever fails, each submission has finished, was interrupted, or is open."""
    outcome = simulated(0.5, Fault(what, 30, 60))
    assert 0 == outcome.lost
    assert outcome.finished > 0


def test_the_lost_zone_interrupts_what_ran_there_alone() -> None:
    """A third of the nodes runs about a third of what goes on at a moment."""
    costs, rate = replace(COSTS, run=constant(20.0)), 0.5 * FIRST
    outcome = Simulation(SMALL, rate, 120, (Fault("zone", 60, 90),), costs).run()
    going = rate / 60 * (costs.run.mean + costs.first_byte.mean)
    assert going / 3 == pytest.approx(outcome.interrupted, rel=0.4)


def test_submissions_come_again_while_the_database_is_gone() -> None:
    """About as many as come in during the outage are refused at first, and all of them are answered."""
    outcome = simulated(0.5, Fault("database", 30, 50))
    assert 0.5 * FIRST / 60 * 20 == pytest.approx(outcome.refused, rel=0.3)


def test_the_backlog_grows_beyond_the_first_limit_alone() -> None:
    """Below the computed limit sandboxes are ready; above it runs wait for longer and longer."""
    below, above = simulated(0.8), simulated(1.3)
    assert below.worst_minute < 1.0 < above.worst_minute


def test_the_same_seed_has_the_same_outcome() -> None:
    """A simulation can be repeated."""
    assert simulated(0.5, seconds=30) == simulated(0.5, seconds=30)


@pytest.mark.parametrize(("events", "a_second"), [(1, 107), (500, 11_167)])
def test_a_commit_takes_what_was_measured(events: int, a_second: int) -> None:
    """One event alone, and five hundred together."""
    assert a_second == pytest.approx(events / Costs().commit_of(events))


def test_a_commit_holds_the_events_of_one_engine() -> None:
    """What several appends of an engine wait for is one commit; another engine has its turn after it."""
    environment = simpy.Environment()
    chain = Chain(environment, replace(COSTS, commit=1.0, event=0.0))
    ends = list[tuple[str, float]]()

    def appended(engine: str) -> Generator[simpy.Event, Any, None]:
        yield chain.append(engine, 4)
        ends.append((engine, environment.now))

    for engine in ("a", "b", "a"):
        environment.process(appended(engine))
    environment.run(until=9)
    assert [("a", 1.0), ("a", 1.0), ("b", 2.0)] == ends
