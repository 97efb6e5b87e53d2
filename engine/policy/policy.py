"""A policy: its rules, its deadlines, and the hash that a decision names it by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import rfc8785

from engine.models import Level, RuleMatch
from engine.policy.conditions import Condition, conditions
from engine.policy.facts import Facts
from engine.policy.faults import Place
from engine.policy.schema import RAISING, PolicySpec, RuleSpec
from engine.text import Untrusted

UNMATCHED = "no-rule"
"""The id under which something that no rule covers is held HIGH."""


@dataclass(frozen=True)
class Rule:
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

    def reasons(self, facts: Facts) -> tuple[str, ...] | None:
        """Return why it matches, at least one reason; None where it does not."""
        found: list[str] = []
        for condition in self.conditions:
            reasons = condition(facts)
            if reasons is None:
                return None
            found += reasons
        return tuple(found) or (self.spec.reason or self.spec.id,)


@dataclass(frozen=True)
class Policy:
    """Rules, those of the highest risk first, and the seconds that each risk leaves to decide."""

    rules: tuple[Rule, ...]
    deadlines: Mapping[Level, float]
    hash: str

    def matches(self, facts: Facts) -> tuple[RuleMatch, ...]:
        """Return every match, those that count most first; never empty."""
        matched = [(rule, reasons) for rule in self.rules if (reasons := rule.reasons(facts)) is not None]
        lowered = _lowered([rule for rule, _ in matched], facts)
        found = [match for rule, reasons in matched for match in _matches(rule, reasons, lowered)]
        if not any(rule.covers for rule, _ in matched):
            found.append(_held(UNMATCHED, Level.HIGH, "no rule of the policy covers it"))
        found += _floors(facts, max(match.level.rank for match in found))
        return tuple(sorted(found, key=lambda match: (not match.refuses, -match.level.rank)))


def compile_policy(spec: PolicySpec, places: Mapping[str, Place]) -> Policy:
    """Return the policy that a specification describes; `places` are those of its rules by id."""
    rules = [ready(rule, places[rule.id]) for rule in spec.rules if rule.enabled]
    ranked = sorted(rules, key=lambda rule: -rule.level.rank)
    return Policy(tuple(ranked), dict(spec.deadlines), policy_hash(spec))


def ready(spec: RuleSpec, place: Place) -> Rule:
    """Return a rule ready to be applied."""
    covers = not spec.lowers and not spec.when.model_fields_set & RAISING
    return Rule(spec, place, conditions(spec.when), covers)


def policy_hash(spec: PolicySpec) -> str:
    """Return the SHA-256 of the canonical JSON (RFC 8785) of everything that the policy says."""
    plain = spec.model_dump(mode="json", exclude={"include"}, exclude_defaults=True)
    return hashlib.sha256(rfc8785.dumps(plain)).hexdigest()


def _lowered(matched: list[Rule], facts: Facts) -> dict[str, Rule]:
    if not facts.complete or facts.weaker_runtime:
        return {}
    lowering = sorted((rule for rule in matched if rule.spec.lowers), key=lambda rule: -rule.level.rank)
    return {id: rule for rule in lowering for id in rule.spec.lowers}


def _matches(rule: Rule, reasons: tuple[str, ...], lowered: Mapping[str, Rule]) -> Iterator[RuleMatch]:
    if rule.spec.lowers:
        if rule in lowered.values():
            yield RuleMatch(rule=rule.spec.id, level=rule.level, reason=Untrusted(", ".join(reasons)))
        return
    by = lowered.get(rule.spec.id)
    level, note = (by.level, f" ({rule.level}, lowered by {by.spec.id})") if by else (rule.level, "")
    for reason in reasons:
        text = Untrusted(reason + note)
        yield RuleMatch(rule=rule.spec.id, level=level, reason=text, refuses=rule.spec.refuse)


def _floors(facts: Facts, highest: int) -> Iterator[RuleMatch]:
    if not facts.complete and highest < Level.HIGH.rank:
        yield _held("floor-incomplete", Level.HIGH, "the analysis could not read all of it")
    if facts.weaker_runtime and highest < Level.CRITICAL.rank:
        yield _held("floor-runtime", Level.CRITICAL, "it would run without gVisor")


def _held(id: str, level: Level, reason: str) -> RuleMatch:
    return RuleMatch(rule=id, level=level, reason=Untrusted(reason))
