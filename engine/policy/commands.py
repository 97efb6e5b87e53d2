"""Commands of coding agents: what the policy says about them although they are proven harmless."""

from __future__ import annotations

from collections.abc import Iterable

from engine.models import Level
from engine.policy.files.loading import SHIPPED
from engine.policy.policy import UNMATCHED, AppliedRule, Policy
from engine.policy.request_facts import RequestFacts


def binding_rules(facts: RequestFacts, policy: Policy) -> tuple[AppliedRule, ...]:
    """Return the rules that bind a command even where it is harmless: those that refuse it come first.

    A rule that refuses binds wherever it is from. One that only rates binds from HIGH on, and where the user
    wrote it: the policies that are shipped rate all code, and hold nothing against any command. What no rule
    covers, because the user turned the shipped ones off, is HIGH here as well.
    """
    own = {UNMATCHED, *(rule.spec.id for rule in policy.rules if rule.place.file.parent != SHIPPED)}
    found = policy.findings(facts)
    refusing = [one for one in found if one.refuses]
    return (*refusing, *(one for one in found if not one.refuses and one.rule in own and _is_high(one)))


def reason_of(rules: Iterable[AppliedRule]) -> str:
    """Return what rules say, in words; empty without any."""
    return "; ".join(f"the rule {one.rule}: {', '.join(one.reasons)}" for one in rules)


def _is_high(one: AppliedRule) -> bool:
    return one.level.rank >= Level.HIGH.rank
