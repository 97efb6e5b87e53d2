"""What objects of the code give where the language calls their methods: `with`, loops."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import attributes, calls, targets
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue


def entered(evaluator: Evaluator, node: ast.expr, value: PythonValue | None) -> PythonValue | None:
    """Return what `with value as x` binds."""
    given = _called(evaluator, node, value, "__enter__")
    return given if given is not None else targets.entered(value)


def iterated(evaluator: Evaluator, node: ast.expr, value: PythonValue | None) -> PythonValue | None:
    """Return what a loop over `value` runs over."""
    given = _called(evaluator, node, value, "__iter__")
    return given if given is not None else value


def _called(evaluator: Evaluator, node: ast.expr, value: PythonValue | None, name: str) -> PythonValue | None:
    if value is None or value.fields is None or value.owner is None:
        return None
    method = attributes.member(evaluator, node, value, name)
    return calls.invoke(evaluator, node, method, [], {}) if method is not None else None
