"""Evaluates functions of the code: once, and again where the arguments of a call are known."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import arguments
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonFunction, PythonScope
from engine.analysis.python.evaluate.values import PythonValue, either, is_callable, taint_of
from engine.analysis.python.loops import recursion

_MAX_INLINING = 16
_MAX_NESTED = 2
"""How often a function is entered again while it is read, as where a wrapper calls what is wrapped by it."""


def read_pending(evaluator: Evaluator) -> None:
    """Evaluate all functions that were not called, including nested ones."""
    while evaluator.pending:
        function = evaluator.pending.popleft()
        if function.state == "unread":
            _read(evaluator, function, None)


def call_function(
    evaluator: Evaluator,
    function: PythonFunction,
    args: list[PythonValue | None],
    keywords: dict[str, PythonValue | None],
    receiver: PythonValue | None = None,
) -> PythonValue | None:
    """Return what calling a function of the code gives, reading it again where the arguments matter."""
    if function.state == "unread":
        _read(evaluator, function, None)
    telling = [value for value in (*args, *keywords.values(), receiver) if value is not None]
    passed = any(map(is_callable, telling))
    if function.nested:
        function.recursive = True
        if not passed or function.nested > _MAX_NESTED:
            return None
    if not telling or not (passed or function.hot) or not _affordable(evaluator):
        return function.result
    evaluator.inlining += 1
    result = _read(evaluator, function, dict(arguments.bound(function, args, keywords, receiver)))
    evaluator.inlining -= 1
    return result


def _affordable(evaluator: Evaluator) -> bool:
    return evaluator.inlining < _MAX_INLINING and evaluator.steps > 0


def property_value(
    evaluator: Evaluator, function: PythonFunction, receiver: PythonValue | None
) -> PythonValue | None:
    """Return the value of an attribute that is a property of the code."""
    decorators = getattr(function.node, "decorator_list", ())
    names = {getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in decorators}
    if not names & {"property", "cached_property"}:
        return None
    return call_function(evaluator, function, [], {}, receiver)


def _read(
    evaluator: Evaluator, function: PythonFunction, bound: dict[str, PythonValue | None] | None
) -> PythonValue | None:
    node = function.node
    first = function.state == "unread"
    function.state = "reading"
    function.nested += 1
    outer, loops, evaluator.loops = evaluator.scope, evaluator.loops, []
    evaluator.scope = scope = PythonScope(_enclosing(function.scope))
    scope.names.update(arguments.unknown(function))
    scope.names.update(function.defaults)
    if bound:
        scope.names.update(bound)
    touched = evaluator.relevant
    evaluator.steps -= 20
    if isinstance(node, ast.Lambda):
        scope.results.append(evaluator.evaluate(node.body))
    else:
        evaluator.run(node.body)
    function.hot = function.hot or evaluator.relevant > touched or (first and _gives_back(function))
    result = _given(scope)
    function.hot = function.hot or (first and result is not None and result.function is not None)
    evaluator.scope, evaluator.loops = outer, loops
    function.nested -= 1
    function.state = "reading" if function.nested else "read"
    if first:
        function.result = result
    if function.recursive:
        recursion.check(evaluator, function, scope)
    return result


def _enclosing(scope: PythonScope) -> PythonScope:
    """Names of a class body are not seen from its methods."""
    while scope.owner is not None and scope.parent is not None:
        scope = scope.parent
    return scope


def _given(scope: PythonScope) -> PythonValue | None:
    """Return what a function gives: what it yields, or of several results the one that could do more harm."""
    if scope.yields:
        generator = PythonValue.holding(dict(enumerate(scope.yields)), taint_of(*scope.yields))
        scope.results.insert(0, generator)
    result: PythonValue | None = None
    for value in scope.results:
        result = either(result, value)
    return result


def _gives_back(function: PythonFunction) -> bool:
    """Whether a function may return or keep what it is given, and is short enough to be read again for it."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return isinstance(node.body, ast.Name)
    if node.name == "__init__":
        return True
    if len(node.body) > _SHORT:
        return False
    return any(isinstance(part, ast.Return) and part.value is not None for part in node.body)


_SHORT = 8
"""Statements of a function that is read again for what it returns."""
