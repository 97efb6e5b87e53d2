"""`python -m tests.scale`: print what each part of a deployment carries, and what a simulation finds."""

from __future__ import annotations

import sys

from tests.scale.deployment import limits
from tests.scale.measured import EVENTS, Costs
from tests.scale.outcome import Outcome, described
from tests.scale.scenarios import COSTS, TODAY, WIDER, scenarios
from tests.scale.simulation import Simulation


def main() -> int:
    """Print all tables."""
    for name, deployment in (("today", TODAY), ("widened", WIDER)):
        print(f"\n| part ({name}) | runs a minute |\n|---|---|")
        for limit in limits(deployment, COSTS):
            print(f"| {limit.part} | {limit.runs_a_minute:,.0f} |")
    print("\n| one run | |\n|---|---|")
    for what, seconds in _price(COSTS):
        print(f"| {what} | {seconds} |")
    _print_scenarios()
    return 0


def _price(costs: Costs) -> list[tuple[str, str]]:
    engine = costs.submit_cpu.mean + costs.rest_cpu.mean
    database = EVENTS * costs.event
    node = 2 * costs.make.mean / TODAY.makers
    person = TODAY.reviewed * costs.decision.mean
    return [
        ("engine", f"{engine * 1000:.0f} ms of a core"),
        ("chain of the history", f"{database * 1000:.1f} ms"),
        ("node, for the sandbox", f"{node:.1f} s of a core"),
        ("reviewers", f"{person:.1f} s of a person"),
    ]


def _print_scenarios() -> None:
    print("\n| scenario | runs/min | submit -> answer | decision -> first byte | worst minute | interrupted")
    print("| came again | open at the end | use: engines, chain, reviewers, making |")
    print("|---|---|---|---|---|---|---|---|---|")
    for one in scenarios():
        outcome = Simulation(one.deployment, one.runs_a_minute, one.seconds, one.faults, one.costs).run()
        print(_line(one.name, one.runs_a_minute, outcome), flush=True)


def _line(name: str, rate: float, outcome: Outcome) -> str:
    use = ", ".join(f"{share:.0%}" for share in outcome.use.values())
    cells = (
        name,
        f"{rate:,.0f}",
        described(outcome.answers),
        described(outcome.starts),
        f"{outcome.worst_minute:.2f} s",
        f"{outcome.interrupted:,}",
        f"{outcome.refused:,}",
        f"{outcome.open_at_end:,}",
        use,
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
