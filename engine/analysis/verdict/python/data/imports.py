"""Which of the libraries for data a program imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_LIBRARIES = frozenset({"numpy", "pandas", "matplotlib"})


def data_libraries(imports: Iterable[ast.Import | ast.ImportFrom]) -> frozenset[str]:
    """Return the libraries for data among what is imported."""
    return frozenset(name for node in imports for name in _roots(node) if name in _LIBRARIES)


def _roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
    return [module.partition(".")[0] for module in modules]
