"""Evaluates import statements: the names that they bind."""

from __future__ import annotations

import ast

from engine.analysis.python import module_imports
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import canonical
from engine.analysis.python.evaluate.values import PythonValue


def read_import(evaluator: Evaluator, node: ast.Import) -> None:
    """Bind `import a.b as c`."""
    for alias in node.names:
        top = alias.name.partition(".")[0]
        value = PythonValue(name=canonical(alias.name if alias.asname else top))
        value.trail = (node,) if alias.asname else ()
        evaluator.scope.names[alias.asname or top] = value
        module_imports.imported(evaluator, node, alias, alias.name)


def read_import_from(evaluator: Evaluator, node: ast.ImportFrom) -> None:
    """Bind `from a import b as c`; a star binds what rules know of the module."""
    if node.level and not node.module:
        for alias in node.names:
            evaluator.scope.names[alias.asname or alias.name] = None
        return
    module = node.module or ""
    for alias in node.names:
        if alias.name == "*":
            evaluator.stars.append(canonical(module))
        else:
            value = PythonValue(name=canonical(f"{module}.{alias.name}")) if not node.level else None
            if value is not None:
                value.trail = (node,)
            evaluator.scope.names[alias.asname or alias.name] = value
        module_imports.imported(evaluator, node, alias, "" if node.level else module)
