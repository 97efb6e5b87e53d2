"""Which of the libraries for data a program imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.python.parse.source import exact_tree

_LIBRARIES = frozenset({"numpy", "pandas", "matplotlib"})


def trusted_libraries(source: str) -> tuple[str, ...]:
    """Return the libraries for data that a program imports, in order: a proof takes their C code for sound.

    Raises SyntaxError or ValueError: the program does not parse.
    """
    if source.isascii() and not any(name in source for name in _LIBRARIES):
        return ()
    nodes = walk(exact_tree(source.removeprefix("\ufeff")))
    return tuple(sorted(data_libraries(one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom))))


def data_libraries(imports: Iterable[ast.Import | ast.ImportFrom]) -> frozenset[str]:
    """Return the libraries for data among what is imported."""
    return frozenset(name for node in imports for name in _roots(node) if name in _LIBRARIES)


def _roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
    return [module.partition(".")[0] for module in modules]
