"""A policy: its rules, its deadlines, and the hash that a decision names it by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import rfc8785

from engine.common.file_faults import Place
from engine.common.text import Untrusted
from engine.models import Level, RuleMatch
from engine.models.observed import SurpriseAction, SurpriseReport
from engine.policy.files.conditions import Condition, conditions
from engine.policy.files.schema import RAISING, PolicySpec, RuleSpec
from engine.policy.request_facts import RequestFacts

UNMATCHED = "no-rule"
"""The id under which something that no rule covers is held HIGH."""


@dataclass(frozen=True)
class PolicyRule:
    """A rule ready to be applied."""

    spec: RuleSpec
    place: Place
    conditions: tuple[Condition, ...]
    covers: bool
    """True where whether it matches does not depend on what is found or asked for."""

    @property
    def level(self) -> Level:
        """Its risk; a rule that refuses has none of its own and counts as CRITICAL."""
        return self.spec.risk or Level.CRITICAL

    def reasons(self, facts: RequestFacts) -> tuple[str, ...] | None:
        """Return why it matches, at least one reason; None where it does not."""
        known = facts.known.get(id(self))
        if known is None:
            known = facts.known[id(self)] = (self, self._reasons(facts))
        return known[1]

    def _reasons(self, facts: RequestFacts) -> tuple[str, ...] | None:
        found: list[str] = []
        for condition in self.conditions:
            reasons = condition(facts)
            if reasons is None:
                return None
            found += reasons
        return tuple(found) or (self.spec.reason or self.spec.id,)


class AppliedRule(NamedTuple):
    """A rule that matches, the level that it counts for, and why."""

    rule: str
    level: Level
    reasons: tuple[str, ...]
    note: str = ""
    refuses: bool = False


@dataclass(frozen=True)
class Policy:
    """Rules, those of the highest risk first, and the seconds that each risk leaves to decide."""

    rules: tuple[PolicyRule, ...]
    deadlines: Mapping[Level, float]
    hash: str
    files: tuple[Path, ...] = ()
    """What it was read from, lowest first."""
    on_surprise: Mapping[Level, SurpriseAction] = field(default_factory=dict)
    """What happens to a run at a surprise of this severity or higher."""
    observed_only: bool = False
    """Whether code runs only where its effects are observed."""
    rehearse_on_request: bool = False
    """Whether requesters may rehearse their own submissions."""
    rehearse_always_for: Level | None = None
    """The risk from which on submissions are rehearsed when they come in."""

    surprises_for_agent: SurpriseReport = SurpriseReport.NONE
    """What the result of a run tells its agent of the surprises."""

    def surprise_action(self, severity: Level) -> SurpriseAction:
        """Return what happens to a run at a surprise."""
        named = [level for level in self.on_surprise if level.rank <= severity.rank]
        return self.on_surprise[max(named, key=lambda level: level.rank)] if named else SurpriseAction.RECORD

    def findings(self, facts: RequestFacts) -> list[AppliedRule]:
        """Return every rule that matches, at the level that it counts for; never empty."""
        matched = [(rule, reasons) for rule in self.rules if (reasons := rule.reasons(facts)) is not None]
        lowered = _lowered([rule for rule, _ in matched], facts)
        found = [_weighed(rule, reasons, lowered) for rule, reasons in matched if _counts(rule, lowered)]
        if not any(rule.covers for rule, _ in matched):
            found.append(AppliedRule(UNMATCHED, Level.HIGH, ("no rule of the policy covers it",)))
        found += _floors(facts, max(one.level.rank for one in found))
        return found

    def matches(self, facts: RequestFacts) -> tuple[RuleMatch, ...]:
        """Return every match with its reason, those that weigh most first; never empty."""
        found = [
            RuleMatch(
                rule=one.rule, level=one.level, reason=Untrusted(reason + one.note), refuses=one.refuses
            )
            for one in self.findings(facts)
            for reason in one.reasons
        ]
        return tuple(sorted(found, key=lambda match: (not match.refuses, -match.level.rank)))


def compile_policy(spec: PolicySpec, places: Mapping[str, Place], files: tuple[Path, ...]) -> Policy:
    """Return the policy that a specification describes; `places` are those of its rules by id."""
    rules = [compile_rule(rule, places[rule.id]) for rule in spec.rules if rule.enabled]
    ranked = sorted(rules, key=lambda rule: -rule.level.rank)
    return Policy(
        tuple(ranked),
        dict(spec.deadlines),
        policy_hash(spec),
        files,
        dict(spec.on_surprise),
        spec.observed == "required",
        spec.rehearse.on_request,
        spec.rehearse.always_for,
        spec.surprises_for_agent,
    )


def reusing_rules(policy: Policy, other: Policy) -> Policy:
    """Return `policy` with the very rules of `other` where they say the same."""
    same = {rule.spec.model_dump_json(): rule for rule in other.rules}
    rules = tuple(same.get(rule.spec.model_dump_json(), rule) for rule in policy.rules)
    return replace(policy, rules=rules)


def compile_rule(spec: RuleSpec, place: Place) -> PolicyRule:
    """Return a rule ready to be applied."""
    covers = not spec.lowers and not spec.when.model_fields_set & RAISING
    return PolicyRule(spec, place, conditions(spec.when), covers)


def policy_hash(spec: PolicySpec) -> str:
    """Return the SHA-256 of the canonical JSON (RFC 8785) of everything that the policy says."""
    plain = spec.model_dump(mode="json", exclude={"include"}, exclude_defaults=True)
    return hashlib.sha256(rfc8785.dumps(plain)).hexdigest()


def _lowered(matched: list[PolicyRule], facts: RequestFacts) -> dict[str, PolicyRule]:
    if not facts.complete or facts.weaker_runtime:
        return {}
    lowering = sorted((rule for rule in matched if rule.spec.lowers), key=lambda rule: -rule.level.rank)
    return {id: rule for rule in lowering for id in rule.spec.lowers}


def _counts(rule: PolicyRule, lowered: Mapping[str, PolicyRule]) -> bool:
    return not rule.spec.lowers or rule in lowered.values()


def _weighed(rule: PolicyRule, reasons: tuple[str, ...], lowered: Mapping[str, PolicyRule]) -> AppliedRule:
    if by := lowered.get(rule.spec.id):
        note = f" ({rule.level}, lowered by {by.spec.id})"
        return AppliedRule(rule.spec.id, by.level, reasons, note)
    return AppliedRule(rule.spec.id, rule.level, reasons, refuses=rule.spec.refuse)


def _floors(facts: RequestFacts, highest: int) -> Iterator[AppliedRule]:
    if not facts.complete and highest < Level.HIGH.rank:
        yield AppliedRule("floor-incomplete", Level.HIGH, ("the analysis could not read all of it",))
    if facts.weaker_runtime and highest < Level.CRITICAL.rank:
        yield AppliedRule("floor-runtime", Level.CRITICAL, ("it would run without gVisor",))
