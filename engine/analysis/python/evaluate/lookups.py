"""What a name means, and whether it is a dangerous function that nobody calls where it stands."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.names import KNOWN
from engine.analysis.python.evaluate.scopes import Scope
from engine.analysis.python.evaluate.sink_registry import CALLS, PREFIXES
from engine.analysis.python.evaluate.values import Value
from engine.analysis.python.rules.execution import LOOSE_FUNCTION

LOOSE: set[str] = set()
"""Functions that nobody passes around in honest code: each runs a text or a program."""


def meaning(walk: Walk, name: str) -> Value | None:
    """Return what `name` means in the current scope."""
    scope: Scope | None = walk.scope
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    if walk.stars:
        found = starred(walk, name)
        if found is not None:
            return found
    return KNOWN.get(name)


def starred(walk: Walk, name: str) -> Value | None:
    """Return what `name` means where it can only come from a star import."""
    for module in walk.stars:
        qualified = f"{module}.{name}"
        if qualified in CALLS or module in PREFIXES:
            return Value(name=qualified)
    return None


def check_loose(walk: Walk, node: ast.expr, value: Value) -> None:
    """Report a dangerous function where it is named and not called, unless it came by another name."""
    if value.name in LOOSE and (not value.trail or isinstance(value.trail[-1], ast.ImportFrom)):
        walk.touched += 1
        walk.report(LOOSE_FUNCTION, node, f"`{value.name}` is passed on, not called", value=value)
