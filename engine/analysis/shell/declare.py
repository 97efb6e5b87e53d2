"""A shorter way to write down a rule of shell."""

from __future__ import annotations

from engine.analysis.rule import Rule
from engine.analysis.shell.model import Command
from engine.models import Confidence, Language, Level, Violation

LOW, MEDIUM, HIGH, CRITICAL = Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL
ABUSE, AGENCY, SECRETS, CONSUMPTION = "LLM05:2025", "LLM06:2025", "LLM02:2025", "LLM10:2025"
_SHELL = frozenset({Language.SHELL})


def rule(  # noqa: PLR0913 - a record
    name: str, title: str, category: str, severity: Level, *, attack: str, why: str, fix: str,
    match: tuple[str, ...], not_match: tuple[str, ...], cwe: int, owasp: str = AGENCY,
    confidence: Confidence = Confidence.HIGH,
) -> Rule:  # fmt: skip
    """Return a rule of shell."""
    return Rule(
        id=name, title=title, category=category, severity=severity, languages=_SHELL, attack=attack,
        why=why, fix=fix, match=match, not_match=not_match, confidence=confidence, cwe=cwe, owasp=owasp,
    )  # fmt: skip


def found(rule: Rule, command: Command, message: str = "", severity: Level | None = None) -> Violation:
    """Return a violation of `rule` by `command`."""
    text = f"{message}: {command.line}" if message else command.line
    return rule.violation(command.span, text[:300], severity=severity, evidence=command.evidence)
