"""The examples of docstrings, which `doctest.testmod` runs as code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
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


def examples(tree: ast.Module) -> dict[ast.Constant, list[ast.Module] | None]:
    """Return the trees of the examples of all docstrings, None where they cannot be parsed."""
    return {docstring: _examples(text) for docstring, text in docstrings(tree)}


def _examples(text: str) -> list[ast.Module] | None:
    if ">>>" not in text:
        return []
    try:
        return [ast.parse(example.source) for example in DocTestParser().get_examples(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def may_run(imports: Iterable[ast.Import | ast.ImportFrom]) -> bool:
    """Return whether a program imports what runs its examples."""
    return any(
        alias.name == "doctest" or (isinstance(node, ast.ImportFrom) and node.module == "doctest")
        for node in imports
        for alias in node.names
    )
