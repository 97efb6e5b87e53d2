"""The rules of shell."""

from __future__ import annotations

from engine.analysis.rule import Rule

RULES: tuple[Rule, ...] = ()
