"""Checks import statements: dangerous modules, packages, look-alikes, the allow list."""

from __future__ import annotations

import ast
import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import SENSITIVE_MODULES, STDLIB, canonical
from engine.analysis.python.popular_packages import ATTACK_MODULES, DATA_IMAGE, POPULAR
from engine.analysis.python.rules import reading
from engine.analysis.typosquats import TyposquatIndex
from engine.common.caches.short_cache import short_cache
from engine.common.effects.package_places import IMPORT_NAMES
from engine.models import EffectKind, Level

MODULE_NOT_ALLOWED = python_rule(
    "py-module-not-allowed",
    "A module is not on the allow list",
    "allowlist",
    Level.HIGH,
    attack="Can do whatever the module can do.",
    why="HIGH: the profile `allow` permits listed modules only.",
    fix="Use a listed module, or add it to `analysis.allowed_modules`.",
    match=("import os", "from subprocess import run"),
    not_match=("import math", "import numpy as np"),
)


_PACKED = re.compile(r"pyarmor|pytransform|^obfuscat")


def imported(evaluator: Evaluator, node: ast.stmt, alias: ast.alias, module: str) -> None:
    """Report and predict what importing `module` means; empty for relative imports."""
    if not module:
        return
    top = module.partition(".")[0]
    place = alias if isinstance(node, ast.Import) else node
    _add_effects(evaluator, node, module, top)
    if top in ATTACK_MODULES or _PACKED.search(top):
        evaluator.report(reading.ATTACK_IMPORT, place, f"`{top}` is made for attacks or obfuscation")
    if evaluator.settings.profile == "allow" and top not in evaluator.settings.allowed_modules:
        evaluator.report(MODULE_NOT_ALLOWED, place, f"`{top}` is not an allowed module")
    imitated = lookalike(top)
    if imitated:
        evaluator.report(
            reading.IMPERSONATION, place, f"`{top}` looks like `{imitated}`, and is no known package"
        )


def _add_effects(evaluator: Evaluator, node: ast.stmt, module: str, top: str) -> None:
    if top in STDLIB:
        evaluator.add_effect(EffectKind.MODULE, module, node, note=_purpose(top))
        return
    note = "in the data image" if top in DATA_IMAGE else "not in the standard library, not in the image"
    if top not in POPULAR and top not in IMPORT_NAMES and top not in DATA_IMAGE:
        imitated = lookalike(top)
        note += f"; looks like {imitated}" if imitated else "; no popular package is known by this name"
    evaluator.add_effect(EffectKind.PACKAGE, IMPORT_NAMES.get(top, top), node, note=note)


def _purpose(top: str) -> str:
    known = canonical(top).partition(".")[0]
    return SENSITIVE_MODULES.get(top) or SENSITIVE_MODULES.get(known, "")


@short_cache(1024)
def lookalike(name: str) -> str | None:
    """Return the popular name that `name` is one slip away from, or None."""
    if len(name) < 5 or name in POPULAR or name in STDLIB or name in IMPORT_NAMES or name in DATA_IMAGE:
        return None
    return _TYPOSQUATS.imitated(name.lower())


_TYPOSQUATS = TyposquatIndex(POPULAR)
