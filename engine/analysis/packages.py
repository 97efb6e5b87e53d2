"""Checks the names of requested packages for look-alikes and attack tools."""

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
"""The most used scopes of npm."""


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
    """Check a name of npm; a scoped name by its scope."""
    plain = name.lower()
    if plain.startswith("@"):
        imitated = _OWNERS.imitated(plain.partition("/")[0])
    else:
        imitated = None if plain in ALIKE else _NPM.imitated(plain)
    return _lookalike(name, imitated, place_of(plain, code))


def _lookalike(name: str, imitated: str | None, place: Span) -> Violation | None:
    if imitated is None:
        return None
    message = f"requests the package {visible(name)}, which looks like {imitated}"
    return IMPERSONATION.violation(place, message, severity=Level.HIGH)
