"""The rules of JavaScript, one module for each theme."""

from __future__ import annotations

from engine.analysis.javascript.rules import execution, files, indirect, network, objects, syntax
from engine.analysis.rule import Rule

RULES: tuple[Rule, ...] = (
    *syntax.RULES,
    *execution.RULES,
    *files.RULES,
    *network.RULES,
    *objects.RULES,
    *indirect.RULES,
)
