"""The rules of shell, one module for each theme."""

from __future__ import annotations

from engine.analysis.rule import Rule
from engine.analysis.shell.rules import (
    destruction,
    disguise,
    evasion,
    execution,
    inner,
    network,
    persistence,
    processes,
    reverse,
    secrets,
    survey,
    syntax,
    transfers,
)

RULES: tuple[Rule, ...] = (
    *syntax.RULES,
    *destruction.RULES,
    *reverse.RULES,
    *transfers.RULES,
    *network.RULES,
    *execution.RULES,
    *persistence.RULES,
    *evasion.RULES,
    *secrets.RULES,
    *survey.RULES,
    *disguise.RULES,
    *processes.RULES,
    *inner.RULES,
)
