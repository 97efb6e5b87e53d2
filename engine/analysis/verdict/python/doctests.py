"""The examples of docstrings, which `doctest.testmod` runs as code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from doctest import DocTestParser

from engine.analysis.python.parse.child_nodes import breadth_first

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    """Yield the docstrings, with their text, of a module and of all its classes and functions."""
    for node in breadth_first(tree):
        if isinstance(node, _DOCUMENTED) and node.body:
            first = node.body[0]
            constant = first.value if isinstance(first, ast.Expr) else None
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                yield constant, constant.value


def examples(text: str) -> Iterator[ast.Module]:
    """Yield the trees of a docstring's examples. Raises ValueError or SyntaxError."""
    for example in DocTestParser().get_examples(text):
        yield ast.parse(example.source)
