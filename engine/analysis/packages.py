"""Packages that are asked for: names that look like another's, and tools of attackers."""

from __future__ import annotations

from collections.abc import Iterable

from engine.analysis.inputs import place_of
from engine.analysis.python.modules import lookalike
from engine.analysis.python.popular import ATTACK_MODULES
from engine.analysis.python.rules.reading import ATTACK_IMPORT, IMPERSONATION
from engine.models import Analysis, Level, Violation
from engine.text import visible


def wanted(names: Iterable[str], code: str) -> Analysis:
    """Return what is wrong with the names of packages that are to be installed."""
    found = (_judged(name, code) for name in names)
    return Analysis(violations=tuple(violation for violation in found if violation is not None))


def _judged(name: str, code: str) -> Violation | None:
    plain = name.lower().replace("-", "_").replace(".", "_")
    if plain in ATTACK_MODULES:
        return ATTACK_IMPORT.violation(place_of(plain, code), f"asks for the package {visible(name)}")
    if meant := lookalike(plain):
        said = f"asks for the package {visible(name)}, which looks like {meant}"
        return IMPERSONATION.violation(place_of(plain, code), said, severity=Level.HIGH)
    return None
