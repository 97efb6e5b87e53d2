"""A shorter way to write down a rule of JavaScript."""

from __future__ import annotations

from engine.analysis.javascript.model import Call, Program
from engine.analysis.rule import Rule
from engine.models import Confidence, Language, Level, Violation

LOW, MEDIUM, HIGH, CRITICAL = Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL
ABUSE, AGENCY, SECRETS, CONSUMPTION = "LLM05:2025", "LLM06:2025", "LLM02:2025", "LLM10:2025"
_JAVASCRIPT = frozenset({Language.JAVASCRIPT})


def rule(  # noqa: PLR0913 - a record
    name: str, title: str, category: str, severity: Level, *, attack: str, why: str, fix: str,
    match: tuple[str, ...], not_match: tuple[str, ...], cwe: int, owasp: str = AGENCY,
    confidence: Confidence = Confidence.HIGH,
) -> Rule:  # fmt: skip
    """Return a rule of JavaScript."""
    return Rule(
        id=name, title=title, category=category, severity=severity, languages=_JAVASCRIPT, attack=attack,
        why=why, fix=fix, match=match, not_match=not_match, confidence=confidence, cwe=cwe, owasp=owasp,
    )  # fmt: skip


def found(
    rule: Rule, program: Program, call: Call, message: str = "", severity: Level | None = None
) -> Violation:
    """Return a violation of `rule` by `call`."""
    text = program.text(call.node)
    layers = tuple(dict.fromkeys(layer for arg in call.args for layer in arg.layers))
    return rule.violation(
        call.span,
        f"{message}: {text}" if message else text,
        severity=severity,
        evidence=call.evidence,
        layers=layers,
    )
