"""Evaluates functions of the code: once, and again where the arguments of a call are known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonFunction, PythonScope
from engine.analysis.python.evaluate.values import PythonValue, either
from engine.analysis.python.loops import recursion

_MAX_INLINING = 4


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
) -> PythonValue | None:
    """Return what calling a function of the code gives, reading it again where the arguments matter."""
    if function.state == "reading":
        function.recursive = True
        return None
    if function.state == "unread":
        _read(evaluator, function, None)
    telling = [value for value in (*args, *keywords.values()) if value is not None]
    if not telling or not function.hot or evaluator.inlining >= _MAX_INLINING or evaluator.steps <= 0:
        return function.result
    evaluator.inlining += 1
    result = _read(evaluator, function, dict(_bound(function, args, keywords)))
    evaluator.inlining -= 1
    return either(result, None)


def property_value(evaluator: Evaluator, function: PythonFunction) -> PythonValue | None:
    """Return the value of an attribute that is a property of the code."""
    decorators = getattr(function.node, "decorator_list", ())
    names = {getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in decorators}
    return call_function(evaluator, function, [], {}) if names & {"property", "cached_property"} else None


def _read(
    evaluator: Evaluator, function: PythonFunction, bound: dict[str, PythonValue | None] | None
) -> PythonValue | None:
    node = function.node
    first = function.state == "unread"
    function.state = "reading"
    outer, loops, evaluator.loops = evaluator.scope, evaluator.loops, []
    evaluator.scope = scope = PythonScope(_enclosing(function.scope))
    for name, value in _parameters(function):
        scope.names[name] = value
    scope.names.update(function.defaults)
    if bound:
        scope.names.update(bound)
    touched = evaluator.relevant
    evaluator.steps -= 20
    if isinstance(node, ast.Lambda):
        scope.results.append(evaluator.evaluate(node.body))
    else:
        evaluator.run(node.body)
    function.hot = function.hot or evaluator.relevant > touched
    result: PythonValue | None = None
    for value in scope.results:
        result = either(result, value)
    evaluator.scope, evaluator.loops = outer, loops
    function.state = "read"
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


def _parameters(function: PythonFunction) -> Iterator[tuple[str, PythonValue | None]]:
    args = function.node.args
    names = [*args.posonlyargs, *args.args]
    for index, arg in enumerate(names):
        if index == 0 and function.owner is not None:
            me = PythonValue()
            me.owner = function.owner
            yield arg.arg, me
        else:
            yield arg.arg, None
    for arg in args.kwonlyargs:
        yield arg.arg, None
    for rest in (args.vararg, args.kwarg):
        if rest is not None:
            yield rest.arg, None


def _bound(
    function: PythonFunction, args: list[PythonValue | None], keywords: dict[str, PythonValue | None]
) -> Iterator[tuple[str, PythonValue | None]]:
    spec = function.node.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    if function.owner is not None and names:
        names = names[1:]
    yield from zip(names, args, strict=False)
    for name, value in keywords.items():
        if name in names or any(arg.arg == name for arg in spec.kwonlyargs):
            yield name, value
    if spec.vararg is not None:
        rest = PythonValue()
        rest.items = dict(enumerate(args[len(names) :]))
        yield spec.vararg.arg, rest
    if spec.kwarg is not None:
        rest = PythonValue()
        rest.items = {name: value for name, value in keywords.items() if name not in names}
        yield spec.kwarg.arg, rest
