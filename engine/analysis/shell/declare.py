"""How the rules of shell are declared."""

from __future__ import annotations

from functools import partial

from engine.analysis.declare import ABUSE, AGENCY, CONSUMPTION, CRITICAL, HIGH, LOW, MEDIUM, SECRETS, rule_of
from engine.analysis.rule import Rule
from engine.analysis.shell.model import Command
from engine.models import Language, Level, Violation

__all__ = [
    "ABUSE", "AGENCY", "CONSUMPTION", "CRITICAL", "HIGH", "LOW", "MEDIUM", "SECRETS", "found", "rule",
]  # fmt: skip

rule = partial(rule_of, Language.SHELL)
"""Returns a rule of shell."""


def found(rule: Rule, command: Command, message: str = "", severity: Level | None = None) -> Violation:
    """Return a violation of `rule` by `command`."""
    text = f"{message}: {command.line}" if message else command.line
    return rule.violation(command.span, text[:300], severity=severity, evidence=command.evidence)
