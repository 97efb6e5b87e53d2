"""What statements do to names."""

from __future__ import annotations

import ast
from typing import Any

from engine.analysis.python.evaluate import imports, targets
from engine.analysis.python.evaluate.definitions import read_class, read_function
from engine.analysis.python.evaluate.evaluator import STATEMENTS, Walk
from engine.analysis.python.evaluate.sink_registry import CALLS, Call
from engine.analysis.python.evaluate.values import either
from engine.analysis.python.loops import loops


def _expression(walk: Walk, node: ast.Expr) -> None:
    if type(node.value) is not ast.Constant:
        walk.value(node.value)


def _assign(walk: Walk, node: ast.Assign) -> None:
    if walk.loops and type(node.value) is ast.BinOp and type(node.targets[0]) is ast.Name:
        loops.check_doubling(walk, node, node.targets[0].id, node.value)
    value = walk.value(node.value)
    if value is not None and (value.name or value.taint or value.function):
        value = value.through(node)
    for target in node.targets:
        targets.bind(walk, target, value)


def _annotated(walk: Walk, node: ast.AnnAssign) -> None:
    if type(node.annotation) is not ast.Name:
        walk.value(node.annotation)
    value = walk.value(node.value) if node.value is not None else None
    if node.value is not None:
        targets.bind(walk, node.target, value)


def _augmented(walk: Walk, node: ast.AugAssign) -> None:
    target = node.target
    if walk.loops and type(target) is ast.Name:
        loops.check_doubling(walk, node, target.id, node.value)
    value = walk.value(ast.copy_location(ast.BinOp(_as_load(target), node.op, node.value), node))
    in_loop = bool(walk.loops)
    if in_loop and value is not None and value.known and not value.taint:
        value = None
    targets.bind(walk, target, value)


def _as_load(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return target


def _return(walk: Walk, node: ast.Return) -> None:
    value = walk.value(node.value) if node.value is not None else None
    walk.scope.results.append(value)


def _if(walk: Walk, node: ast.If) -> None:
    walk.value(node.test)
    _perhaps(walk, node.body)
    if node.orelse:
        _perhaps(walk, node.orelse)


def _perhaps(walk: Walk, body: list[ast.stmt]) -> None:
    """Run what may not happen: a name that meant a module or a function still may mean it."""
    names = walk.scope.names
    before = {
        target.id: names.get(target.id)
        for statement in body
        if type(statement) is ast.Assign
        for target in statement.targets
        if type(target) is ast.Name
    }
    walk.run(body)
    for name, old in before.items():
        new = names.get(name)
        meant = old.name if old is not None else None
        if meant and meant[-1] not in "])" and (new is None or not (new.name or new.function or new.owner)):
            names[name] = old


def _for(walk: Walk, node: ast.For | ast.AsyncFor) -> None:
    value = walk.value(node.iter)
    if value is not None and value.name == "os.environ":
        value = CALLS["os.environ.items"](walk, Call(node.iter, "os.environ.items", [], {}))
    targets.bind(walk, node.target, targets.element(value))
    loops.check_for(walk, node, value)
    walk.loops.append(node)
    walk.run(node.body)
    walk.loops.pop()
    walk.run(node.orelse)


def _while(walk: Walk, node: ast.While) -> None:
    walk.value(node.test)
    loops.check_while(walk, node)
    walk.loops.append(node)
    walk.run(node.body)
    walk.loops.pop()
    walk.run(node.orelse)


def _with(walk: Walk, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = walk.value(item.context_expr)
        if item.optional_vars is not None:
            targets.bind(walk, item.optional_vars, targets.entered(value))
    walk.run(node.body)


def _try(walk: Walk, node: Any) -> None:
    walk.run(node.body)
    for handler in node.handlers:
        if handler.type is not None and type(handler.type) is not ast.Name:
            walk.value(handler.type)
        if handler.name:
            walk.scope.names[handler.name] = None
        _perhaps(walk, handler.body)
    walk.run(node.orelse)
    walk.run(node.finalbody)


def _match(walk: Walk, node: ast.Match) -> None:
    subject = walk.value(node.subject)
    for case in node.cases:
        targets.bind_pattern(walk, case.pattern, subject)
        if case.guard is not None:
            walk.value(case.guard)
        walk.run(case.body)


def _delete(walk: Walk, node: ast.Delete) -> None:
    for target in node.targets:
        if type(target) is not ast.Name:
            walk.value(target)


def _global(walk: Walk, node: ast.Global | ast.Nonlocal) -> None:
    module = walk.scope.module()
    for name in node.names:
        if name in module.names and walk.scope is not module:
            walk.scope.names.setdefault(name, either(module.names[name], None))


def _raise(walk: Walk, node: ast.Raise) -> None:
    if node.exc is not None:
        walk.value(node.exc)
    if node.cause is not None:
        walk.value(node.cause)


def _assert(walk: Walk, node: ast.Assert) -> None:
    walk.value(node.test)
    if node.msg is not None and type(node.msg) is not ast.Constant:
        walk.value(node.msg)


STATEMENTS.update(
    {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Return: _return,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
        ast.Delete: _delete,
        ast.Global: _global,
        ast.Nonlocal: _global,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Import: imports.read_import,
        ast.ImportFrom: imports.read_import_from,
        ast.FunctionDef: read_function,
        ast.AsyncFunctionDef: read_function,
        ast.ClassDef: read_class,
    }
)
