"""How risky a submission is, why, and how long a person has to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.models import Analysis, Assessment, Draft, Level, RuleMatch, Violation
from engine.settings import PolicySettings
from engine.text import Untrusted

Reasons = Iterator[str]


@dataclass(frozen=True)
class Rule:
    """A level, and the reasons for it that a submission gives: none means that the rule does not match."""

    id: str
    level: Level
    reasons: Callable[[Draft, Analysis], Reasons]


def assess(draft: Draft, analysis: Analysis, settings: PolicySettings) -> Assessment:
    """Return the highest level of all rules that match, every match, and the deadline of that level."""
    matches = tuple(
        RuleMatch(rule=rule.id, level=rule.level, reason=Untrusted(reason))
        for rule in RULES
        for reason in rule.reasons(draft, analysis)
    )
    risk = max((match.level for match in matches), key=lambda level: level.rank)
    ranked = tuple(sorted(matches, key=lambda match: -match.level.rank))
    return Assessment(risk=risk, matches=ranked, deadline_seconds=settings.deadlines.get(risk))


def _network(draft: Draft, analysis: Analysis) -> Reasons:
    for domain in draft.capabilities.domains:
        yield f"asks for the network: {domain.text}"


def _foreign_package(draft: Draft, analysis: Analysis) -> Reasons:
    for package in draft.capabilities.packages:
        if package.registry:
            yield f"asks for {package.name.text} from a non-standard registry, {package.registry.text}"


def _package(draft: Draft, analysis: Analysis) -> Reasons:
    for package in draft.capabilities.packages:
        if not package.registry:
            yield f"asks for the package {package.name.text}"


def _critical(draft: Draft, analysis: Analysis) -> Reasons:
    yield from _told(violation for violation in analysis.violations if violation.severity is Level.CRITICAL)


def _dangerous(draft: Draft, analysis: Analysis) -> Reasons:
    yield from _told(
        violation
        for violation in analysis.violations
        if violation.category in _DANGEROUS
        and violation.severity.rank >= Level.HIGH.rank
        and violation.severity is not Level.CRITICAL
    )


def _incomplete(draft: Draft, analysis: Analysis) -> Reasons:
    if not analysis.complete:
        yield "the analysis could not read all of it"


def _execution(draft: Draft, analysis: Analysis) -> Reasons:
    yield "it runs code"


def _told(violations: Iterator[Violation]) -> Reasons:
    for violation in violations:
        yield f"line {violation.span.line}: {violation.message.text}"


_DANGEROUS = frozenset({"exec_eval", "fs_delete", "net_download", "reverse_shell", "escape_gadget"})

RULES = (
    Rule("network", Level.CRITICAL, _network),
    Rule("foreign-package", Level.CRITICAL, _foreign_package),
    Rule("critical-violation", Level.CRITICAL, _critical),
    Rule("dangerous-pattern", Level.CRITICAL, _dangerous),
    Rule("package", Level.HIGH, _package),
    Rule("analysis-incomplete", Level.HIGH, _incomplete),
    Rule("code-execution", Level.HIGH, _execution),
)
"""The levels of the table in the README; `code-execution` always matches, so nothing is without a level."""
