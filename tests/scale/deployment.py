"""What is deployed, what each part of it can carry, and what may fail."""

from __future__ import annotations

from dataclasses import dataclass

from tests.scale.measured import EVENTS, MOST_IN_A_COMMIT, Costs


@dataclass(frozen=True)
class Deployment:
    """How much there is of each part."""

    zones: int = 3
    nodes: int = 100
    """Nodes that run sandboxes, spread over the zones."""
    warm: int = 6
    """Sandboxes that wait ready on each node."""
    places: int = 60
    """Sandboxes that a node has room for."""
    makers: int = 2
    """Sandboxes that a node makes at once."""
    engines: int = 24
    api_servers: int = 3
    reviewers: int = 500
    reviewed: float = 0.1
    """The share of submissions that a person decides; the rest is pre-approved, or proven harmless."""


@dataclass(frozen=True)
class Fault:
    """Something that is gone from one second of the simulation to another."""

    what: str
    """`zone`, `database` or `registry`."""
    begins: float
    ends: float


@dataclass(frozen=True)
class Limit:
    """How many runs a minute one part carries at most."""

    part: str
    runs_a_minute: float


def limits(deployment: Deployment, costs: Costs) -> list[Limit]:
    """Return what each part carries, the first limit first."""
    held = costs.make.mean + costs.first_byte.mean + costs.run.mean + costs.remove.mean
    present = deployment.reviewers * (1 - costs.away)
    per_second = {
        "reviewers": present / costs.decision.mean / deployment.reviewed,
        "engines": deployment.engines / (costs.submit_cpu.mean + costs.rest_cpu.mean),
        "chain of the history": MOST_IN_A_COMMIT / costs.commit_of(MOST_IN_A_COMMIT) / EVENTS,
        "API servers": deployment.api_servers / (2 * costs.api_call),
        "making sandboxes": deployment.nodes * deployment.makers / costs.make.mean,
        "space on the nodes": deployment.nodes * deployment.places / held,
    }
    return sorted((Limit(part, rate * 60) for part, rate in per_second.items()), key=_runs)


def _runs(limit: Limit) -> float:
    return limit.runs_a_minute
