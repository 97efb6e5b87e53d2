"""What an agent is told of the surprises of its run."""

from __future__ import annotations

import pytest

from engine.common.text import Untrusted
from engine.models import Level
from engine.models.observed import EffectMatch, Relation, SurpriseReport
from engine.policy.effects.for_agents import MOST_LINES, cause, for_agent


def _surprise(value: str, kind: str = "read") -> EffectMatch:
    return EffectMatch(
        relation=Relation.UNPREDICTED,
        kind=kind,
        value=Untrusted(value),
        severity=Level.HIGH,
        reason="secrets are kept there",
    )


FOUND = (_surprise("/etc/shadow"), _surprise("/proc/1/environ"), _surprise("/usr/bin/nc", "process"))


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (SurpriseReport.NONE, ()),
        (SurpriseReport.KINDS, ("observed, not predicted: read (2)", "observed, not predicted: process (1)")),
        (
            SurpriseReport.ALL,
            (
                "HIGH observed, not predicted: read /etc/shadow (secrets are kept there)",
                "HIGH observed, not predicted: read /proc/1/environ (secrets are kept there)",
                "HIGH observed, not predicted: process /usr/bin/nc (secrets are kept there)",
            ),
        ),
    ],
)
def test_an_agent_is_told_as_much_as_the_policy_says(
    report: SurpriseReport, expected: tuple[str, ...]
) -> None:
    """Nothing, the kinds and how many, or everything."""
    assert expected == tuple(line.text for line in for_agent(FOUND, report))


def test_what_an_agent_is_told_is_bounded() -> None:
    """In the number of lines, and in the length of each."""
    many = [_surprise(f"/{number}{'x' * 1000}") for number in range(MOST_LINES + 5)]
    *lines, last = for_agent(many, SurpriseReport.ALL)
    assert (MOST_LINES, "5 more") == (len(lines), last.text)
    assert max(len(line.text) for line in lines) <= 300


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (SurpriseReport.NONE, "3 surprises"),
        (SurpriseReport.KINDS, "3 surprises"),
        (SurpriseReport.ALL, "3 surprises: /etc/shadow"),
    ],
)
def test_the_evidence_of_a_kill_names_a_surprise_only_where_agents_may_know_it(
    report: SurpriseReport, expected: str
) -> None:
    """The result of a run, evidence included, is the agent's to read."""
    assert expected == cause(FOUND, report)
