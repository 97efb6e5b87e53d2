"""The rules of Python."""

from __future__ import annotations

from engine.analysis.rule import Rule

RULES: tuple[Rule, ...] = ()
