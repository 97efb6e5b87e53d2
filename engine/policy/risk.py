"""How risky a submission or a tool call is, why, and how long a person has to decide."""

from __future__ import annotations

from engine.models import Analysis, Assessment, Draft, Level, Operation
from engine.policy.policy import Policy
from engine.policy.request_facts import RequestFacts, of_operation, of_submission


def assess(
    draft: Draft, analysis: Analysis, policy: Policy, *, weaker_runtime: bool = False, requester: str = ""
) -> Assessment:
    """Return the highest risk of all rules that match, every match, and the deadline of that risk."""
    return classify(
        of_submission(draft, analysis, weaker_runtime=weaker_runtime, requester=requester), policy
    )


def assess_operation(operation: Operation, policy: Policy, *, weaker_runtime: bool = False) -> Assessment:
    """Return the same about one tool call."""
    return classify(of_operation(operation, weaker_runtime=weaker_runtime), policy)


def classify(facts: RequestFacts, policy: Policy) -> Assessment:
    """Return what a policy says about facts. LOW alone has no deadline: it is approved at once."""
    matches = policy.matches(facts)
    risk = max((match.level for match in matches), key=lambda level: level.rank)
    deadline = None if risk is Level.LOW else policy.deadlines[risk]
    return Assessment(risk=risk, matches=matches, deadline_seconds=deadline)
