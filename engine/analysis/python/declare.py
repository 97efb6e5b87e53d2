"""How the rules of Python are declared."""

from __future__ import annotations

from typing import Any

from engine.analysis.rule import Rule
from engine.models import Language, Level

_PYTHON = frozenset((Language.PYTHON,))


def python_rule(name: str, title: str, category: str, severity: Level, **facts: Any) -> Rule:
    """Return a rule of Python."""
    return Rule(id=name, title=title, category=category, severity=severity, languages=_PYTHON, **facts)
