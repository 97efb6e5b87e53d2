"""The questions that are asked of the simulation, each with its deployment, load and faults."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.scale.deployment import Deployment, Fault, limits
from tests.scale.measured import Costs

ASKED = 10_000.0
"""Runs a minute."""
TODAY = Deployment()
COSTS = Costs()
WIDER = replace(TODAY, nodes=200, engines=48, api_servers=6)


@dataclass(frozen=True)
class Scenario:
    """One question."""

    name: str
    deployment: Deployment
    runs_a_minute: float
    costs: Costs = COSTS
    faults: tuple[Fault, ...] = ()
    seconds: float = 900.0


def scenarios() -> list[Scenario]:
    """Return all of them."""
    first = limits(TODAY, COSTS)[0].runs_a_minute
    fits = limits(WIDER, COSTS)[0].runs_a_minute
    load = min(ASKED, 0.8 * fits)
    wider = Scenario("", WIDER, load)
    return [
        Scenario("today, half of the first limit", TODAY, 0.5 * first),
        Scenario("today, 90 % of it", TODAY, 0.9 * first),
        Scenario("today, 120 % of it", TODAY, 1.2 * first),
        replace(wider, name="widened"),
        replace(wider, name="... a zone is lost for 5 min", faults=(Fault("zone", 300, 600),)),
        replace(wider, name="... the database is lost for 30 s", faults=(Fault("database", 300, 330),)),
        replace(wider, name="... the registry is lost for 5 min", faults=(Fault("registry", 300, 600),)),
    ]
