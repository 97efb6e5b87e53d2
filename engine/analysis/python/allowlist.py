"""The profile `allow`: what is not on the list is refused."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.rules.reading import NAME_NOT_ALLOWED
from engine.analysis.python.words import words

_BUILTINS = frozenset(
    words(
        "eval exec compile open input __import__ getattr setattr delattr vars globals locals breakpoint "
        "memoryview help exit quit __builtins__ __loader__ __spec__"
    )
)
_COMMON = frozenset(
    words("__init__ __name__ __doc__ __main__ __file__ __version__ __all__ __len__ __str__ __repr__")
)


def check(walk: Walk, tree: ast.AST) -> None:
    """Report built-ins that are not on the list, and every inner attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _BUILTINS and isinstance(node.ctx, ast.Load):
            walk.report(NAME_NOT_ALLOWED, node, f"`{node.id}` is not on the list")
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr not in _COMMON:
            walk.report(NAME_NOT_ALLOWED, node, f"`{node.attr}` is an inner name")
