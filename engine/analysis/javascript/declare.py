"""How the rules of JavaScript are declared."""

from __future__ import annotations

from functools import partial

from engine.analysis.declare import ABUSE, AGENCY, CONSUMPTION, CRITICAL, HIGH, LOW, MEDIUM, SECRETS, rule_of
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.rule import Rule
from engine.models import Language, Level, Violation

__all__ = [
    "ABUSE", "AGENCY", "CONSUMPTION", "CRITICAL", "HIGH", "LOW", "MEDIUM", "SECRETS", "found", "rule",
]  # fmt: skip

rule = partial(rule_of, Language.JAVASCRIPT)
"""Returns a rule of JavaScript."""


def found(
    rule: Rule, program: Program, call: JavaScriptCall, message: str = "", severity: Level | None = None
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
