"""Functions and classes of the code: read once, and again where a call tells more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.evaluate import hooks
from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.scopes import Class, Function, Scope
from engine.analysis.python.evaluate.values import Value, either
from engine.analysis.python.loops import recursion

_MAX_INLINING = 4
_Def = ast.FunctionDef | ast.AsyncFunctionDef


def read_function(walk: Walk, node: _Def) -> None:
    """Bind a function's name; its body waits until it is called or the module ends."""
    function = Function(node, walk.scope, walk.scope.owner)
    read_defaults(walk, function)
    _read_annotations(walk, node)
    value = Value()
    value.function = function
    walk.pending.append(function)
    walk.functions.append(function)
    for decorator in node.decorator_list:
        hooks.decorated(walk, decorator, value)
    walk.scope.names[node.name] = value
    if walk.scope.owner is not None:
        walk.scope.owner.attributes[node.name] = value


def read_defaults(walk: Walk, function: Function) -> None:
    """Look into the defaults of parameters, where they are more than constants."""
    args = function.node.args
    if not args.defaults and not args.kw_defaults:
        return
    names = [*args.posonlyargs, *args.args][len(args.posonlyargs) + len(args.args) - len(args.defaults) :]
    pairs = [*zip(names, args.defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    for arg, default in pairs:
        value = walk.value(default) if default is not None and type(default) is not ast.Constant else None
        if value is not None and not value.known:
            function.defaults[arg.arg] = value


_PLAIN = (ast.Name, ast.Constant, ast.Attribute)


def _read_annotations(walk: Walk, node: _Def) -> None:
    """Look into annotations that compute something: they run with the definition."""
    args = node.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None and arg.annotation is not None and _computes(arg.annotation):
            walk.value(arg.annotation)
    if node.returns is not None and _computes(node.returns):
        walk.value(node.returns)


def _computes(node: ast.expr) -> bool:
    """Whether an annotation is more than names: `list[int] | None` is not."""
    kind = type(node)
    if kind in _PLAIN:
        return False
    if isinstance(node, ast.Subscript):
        return _computes(node.value) or _computes(node.slice)
    if isinstance(node, ast.Tuple):
        return any(_computes(part) for part in node.elts)
    return not isinstance(node, ast.BinOp) or _computes(node.left) or _computes(node.right)


def read_class(walk: Walk, node: ast.ClassDef) -> None:
    """Read a class body now, and its methods when they are called or the module ends."""
    bases = [walk.value(base) for base in node.bases]
    for keyword in node.keywords:
        walk.value(keyword.value)
    names = tuple(base.name or "" for base in bases if base is not None)
    owner = Class(node.name, names)
    for base in bases:
        if base is not None and base.owner is not None:
            owner.attributes.update(base.owner.attributes)
    value = Value()
    value.owner = owner
    for decorator in node.decorator_list:
        hooks.decorated(walk, decorator, value)
    outer = walk.scope
    walk.scope = Scope(outer, owner)
    walk.run(node.body)
    owner.attributes.update(walk.scope.names)
    walk.scope = outer
    outer.names[node.name] = value
    hooks.class_defined(walk, node, owner)


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
