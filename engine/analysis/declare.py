"""How the rules of one language are declared and collected."""

from __future__ import annotations

from types import ModuleType

from engine.analysis.rule import Rule
from engine.models import Confidence, Language, Level

LOW, MEDIUM, HIGH, CRITICAL = Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL
ABUSE, AGENCY, SECRETS, CONSUMPTION = "LLM05:2025", "LLM06:2025", "LLM02:2025", "LLM10:2025"


def rule_of(  # noqa: PLR0913 - a record
    language: Language, name: str, title: str, category: str, severity: Level, *, attack: str, why: str,
    fix: str, match: tuple[str, ...], not_match: tuple[str, ...], cwe: int, owasp: str | None = AGENCY,
    confidence: Confidence = Confidence.HIGH,
) -> Rule:  # fmt: skip
    """Return a rule of `language`."""
    return Rule(
        id=name, title=title, category=category, severity=severity, languages=frozenset({language}),
        attack=attack, why=why, fix=fix, match=match, not_match=not_match, confidence=confidence, cwe=cwe,
        owasp=owasp,
    )  # fmt: skip


def rules_in(*modules: ModuleType) -> tuple[Rule, ...]:
    """Return every rule that is declared or used in `modules`, each once."""
    values = (value for module in modules for value in vars(module).values() if isinstance(value, Rule))
    return tuple({rule.id: rule for rule in values}.values())
