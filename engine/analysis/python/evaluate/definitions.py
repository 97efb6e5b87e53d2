"""Definitions of functions and classes: names bound, decorators called, class bodies read."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import hooks
from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.scopes import Class, Function, Scope
from engine.analysis.python.evaluate.values import Value

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
