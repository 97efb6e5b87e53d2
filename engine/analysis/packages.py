"""Packages that are asked for: names that look like another's, and tools of attackers."""

from __future__ import annotations

from collections.abc import Iterable

from engine.analysis.input_files import place_of
from engine.analysis.javascript.popular_packages import ALIKE, POPULAR
from engine.analysis.python.module_imports import lookalike
from engine.analysis.python.popular_packages import ATTACK_MODULES
from engine.analysis.python.rules.reading import ATTACK_IMPORT, IMPERSONATION
from engine.analysis.typosquats import TyposquatIndex
from engine.common.text import visible
from engine.models import Analysis, Language, Level, Span, Violation

_SCOPES = (
    "@angular", "@apollo", "@azure", "@babel", "@emotion", "@eslint", "@expo", "@fastify", "@firebase",
    "@google-cloud", "@inquirer", "@jest", "@microsoft", "@nestjs", "@octokit", "@opentelemetry", "@prisma",
    "@radix-ui", "@rollup", "@sentry", "@smithy", "@storybook", "@supabase", "@tanstack", "@testing-library",
    "@types", "@typescript-eslint", "@vercel", "@vitest", "@webassemblyjs",
)  # fmt: skip
"""Whose packages of npm are used most."""


_NPM = TyposquatIndex(POPULAR)
_OWNERS = TyposquatIndex(_SCOPES)


def check_packages(names: Iterable[str], code: str, language: Language = Language.PYTHON) -> Analysis:
    """Return what is wrong with the names of packages that are to be installed."""
    check = _check_npm if language is Language.JAVASCRIPT else _check_python
    found = (check(name, code) for name in names)
    return Analysis(violations=tuple(violation for violation in found if violation is not None))


def _check_python(name: str, code: str) -> Violation | None:
    plain = name.lower().replace("-", "_").replace(".", "_")
    if plain in ATTACK_MODULES:
        return ATTACK_IMPORT.violation(place_of(plain, code), f"requests the package {visible(name)}")
    return _lookalike(name, lookalike(plain), place_of(plain, code))


def _check_npm(name: str, code: str) -> Violation | None:
    """Judge a name of npm; of one with a scope, the scope says whose it is."""
    plain = name.lower()
    if plain.startswith("@"):
        meant = _OWNERS.meant(plain.partition("/")[0])
    else:
        meant = None if plain in ALIKE else _NPM.meant(plain)
    return _lookalike(name, meant, place_of(plain, code))


def _lookalike(name: str, meant: str | None, place: Span) -> Violation | None:
    if meant is None:
        return None
    said = f"requests the package {visible(name)}, which looks like {meant}"
    return IMPERSONATION.violation(place, said, severity=Level.HIGH)
