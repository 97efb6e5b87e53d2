"""How another policy would have decided past submissions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from engine.models import Analysis, Assessment, DecisionOutcome, Draft
from engine.policy.policy import Policy, reusing_rules
from engine.policy.request_facts import RequestFacts, of_submission
from engine.policy.risk import classify


class PolicyOutcome(StrEnum):
    """What becomes of a submission."""

    DENY = "DENY"
    ASK = "ASK"
    ALLOW = "ALLOW"


@dataclass(frozen=True)
class PastSubmission:
    """A submission of the past, how it was decided, and what its run did, in words."""

    id: str
    draft: Draft
    analysis: Analysis
    outcome: DecisionOutcome | None = None
    did: str = ""
    requester: str = ""
    """The identity of its requester."""
    agent: str = ""
    """The name of its requester."""
    by_person: bool = True
    """Whether a person made the decision, not the policy or the deadline."""
    troubled: bool = False
    """Whether its run was killed, or did what nobody had predicted."""

    @property
    def is_known(self) -> bool:
        """Whether its code is still there, so that a policy can decide about it; a tool call has none."""
        return bool(self.draft.code) or self.draft.operation is not None


@dataclass(frozen=True)
class PolicyChange:
    """A submission about which two policies differ."""

    id: str
    before: PolicyOutcome
    after: PolicyOutcome
    old: Assessment
    new: Assessment
    did: str

    @property
    def order(self) -> tuple[bool, int, int, str]:
        """Sort by what is loosened most: DENY to ALLOW first, then the deepest fall of the risk."""
        outcomes = list(PolicyOutcome)
        loosened = outcomes.index(self.after) - outcomes.index(self.before)
        fallen = self.old.risk.rank - self.new.risk.rank
        return (
            self.before is not PolicyOutcome.DENY or self.after is not PolicyOutcome.ALLOW,
            -loosened,
            -fallen,
            self.id,
        )


def policy_diff(stored: Iterable[PastSubmission], old: Policy, new: Policy) -> tuple[PolicyChange, ...]:
    """Return the submissions about which the policies differ, those that go from DENY to ALLOW first.

    What a policy left to a person counts before the change as that person decided, an expiry as a DENY.
    """
    new = reusing_rules(new, old)
    found = (_flip(one, old, new) for one in stored)
    return tuple(sorted((flip for flip in found if flip), key=lambda flip: flip.order))


def _flip(one: PastSubmission, old: Policy, new: Policy) -> PolicyChange | None:
    facts = of_submission(one.draft, one.analysis, requester=one.requester)
    (before, was), (after, would_be) = _outcome(facts, old), _outcome(facts, new)
    if (before, was) == (after, would_be):
        return None
    decided = _DECIDED[one.outcome] if before is PolicyOutcome.ASK and one.outcome else before
    return PolicyChange(one.id, decided, after, classify(facts, old), classify(facts, new), one.did)


def _outcome(facts: RequestFacts, policy: Policy) -> tuple[PolicyOutcome, int]:
    """Return what a policy by itself makes of a submission, and the rank of its risk."""
    found = policy.findings(facts)
    rank = max(one.level.rank for one in found)
    if any(one.refuses for one in found):
        return PolicyOutcome.DENY, rank
    return (PolicyOutcome.ASK if rank else PolicyOutcome.ALLOW), rank


_DECIDED = dict.fromkeys(DecisionOutcome, PolicyOutcome.DENY) | {
    DecisionOutcome.APPROVED: PolicyOutcome.ALLOW
}
