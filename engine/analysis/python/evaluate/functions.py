"""Functions of the code: read once, and again where the arguments of a call are known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.scopes import Function, Scope
from engine.analysis.python.evaluate.values import Value, either
from engine.analysis.python.loops import recursion

_MAX_INLINING = 4


def read_pending(walk: Walk) -> None:
    """Read all functions that nobody called, those within them too."""
    while walk.pending:
        function = walk.pending.popleft()
        if function.state == "unread":
            _read(walk, function, None)


def called(
    walk: Walk, function: Function, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value | None:
    """Return what calling a function of the code gives, reading it again where the arguments matter."""
    if function.state == "reading":
        function.recursive = True
        return None
    if function.state == "unread":
        _read(walk, function, None)
    telling = [value for value in (*args, *keywords.values()) if value is not None]
    if not telling or not function.hot or walk.inlining >= _MAX_INLINING or walk.steps <= 0:
        return function.result
    walk.inlining += 1
    result = _read(walk, function, dict(_bound(function, args, keywords)))
    walk.inlining -= 1
    return either(result, None)


def got(walk: Walk, function: Function) -> Value | None:
    """Return what an attribute gives that a function of the code stands for, where it is a property."""
    decorators = getattr(function.node, "decorator_list", ())
    names = {getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in decorators}
    return called(walk, function, [], {}) if names & {"property", "cached_property"} else None


def _read(walk: Walk, function: Function, bound: dict[str, Value | None] | None) -> Value | None:
    node = function.node
    first = function.state == "unread"
    function.state = "reading"
    outer, loops, walk.loops = walk.scope, walk.loops, []
    walk.scope = scope = Scope(_enclosing(function.scope))
    for name, value in _parameters(function):
        scope.names[name] = value
    scope.names.update(function.defaults)
    if bound:
        scope.names.update(bound)
    touched = walk.touched
    walk.steps -= 20
    if isinstance(node, ast.Lambda):
        scope.results.append(walk.value(node.body))
    else:
        walk.run(node.body)
    function.hot = function.hot or walk.touched > touched
    result: Value | None = None
    for value in scope.results:
        result = either(result, value)
    walk.scope, walk.loops = outer, loops
    function.state = "read"
    if first:
        function.result = result
    if function.recursive:
        recursion.check(walk, function, scope)
    return result


def _enclosing(scope: Scope) -> Scope:
    """Names of a class body are not seen from its methods."""
    while scope.owner is not None and scope.parent is not None:
        scope = scope.parent
    return scope


def _parameters(function: Function) -> Iterator[tuple[str, Value | None]]:
    args = function.node.args
    names = [*args.posonlyargs, *args.args]
    for index, arg in enumerate(names):
        if index == 0 and function.owner is not None:
            me = Value()
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
    function: Function, args: list[Value | None], keywords: dict[str, Value | None]
) -> Iterator[tuple[str, Value | None]]:
    spec = function.node.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    if function.owner is not None and names:
        names = names[1:]
    yield from zip(names, args, strict=False)
    for name, value in keywords.items():
        if name in names or any(arg.arg == name for arg in spec.kwonlyargs):
            yield name, value
    if spec.vararg is not None:
        rest = Value()
        rest.items = dict(enumerate(args[len(names) :]))
        yield spec.vararg.arg, rest
    if spec.kwarg is not None:
        rest = Value()
        rest.items = {name: value for name, value in keywords.items() if name not in names}
        yield spec.kwarg.arg, rest
