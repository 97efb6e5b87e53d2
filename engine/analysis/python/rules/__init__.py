"""The rules of Python."""

from __future__ import annotations

from engine.analysis.python.rules import (
    execution,
    files,
    lint,
    network,
    objects,
    private,
    processes,
    reading,
    resources,
)
from engine.analysis.rule import Rule

RULES: tuple[Rule, ...] = (
    *reading.RULES,
    *execution.RULES,
    *processes.RULES,
    *files.RULES,
    *network.RULES,
    *private.RULES,
    *objects.RULES,
    *resources.RULES,
    *lint.RULES,
)
