"""The profile `allow`: refuses what is not on the allow list."""

from __future__ import annotations

import ast

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.word_lists import words
from engine.models import Level

NAME_NOT_ALLOWED = python_rule(
    "py-name-not-allowed",
    "A built-in or internal name is not on the allow list",
    "allowlist",
    Level.HIGH,
    attack="Escapes the list of allowed modules through the interpreter.",
    why="HIGH: the profile `allow` refuses these built-ins and any `__name__` of a module.",
    fix="Use a name that is allowed.",
    match=("eval('1')", "import math\nmath.__loader__", "open('a')"),
    not_match=("print(len('a'))", "class A:\n    def __init__(self): pass"),
)


_BUILTINS = frozenset(
    words(
        "eval exec compile open input __import__ getattr setattr delattr vars globals locals breakpoint "
        "memoryview help exit quit __builtins__ __loader__ __spec__"
    )
)
_COMMON = frozenset(
    words("__init__ __name__ __doc__ __main__ __file__ __version__ __all__ __len__ __str__ __repr__")
)


def check(evaluator: Evaluator, tree: ast.AST) -> None:
    """Report built-ins that are not on the list, and every inner attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _BUILTINS and isinstance(node.ctx, ast.Load):
            evaluator.report(NAME_NOT_ALLOWED, node, f"`{node.id}` is not on the list")
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr not in _COMMON:
            evaluator.report(NAME_NOT_ALLOWED, node, f"`{node.attr}` is an internal name")
