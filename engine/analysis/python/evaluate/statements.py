"""Evaluates statements; registers a handler for each node type."""

from __future__ import annotations

import ast
from typing import Any

from engine.analysis.python.evaluate import imports, match_patterns, protocols, targets
from engine.analysis.python.evaluate.definitions import read_annotation, read_class, read_function
from engine.analysis.python.evaluate.evaluator import STATEMENTS, Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall
from engine.analysis.python.evaluate.turns import turns
from engine.analysis.python.evaluate.values import harm, is_callable
from engine.analysis.python.loops import loops


def _expression(evaluator: Evaluator, node: ast.Expr) -> None:
    if type(node.value) is not ast.Constant:
        evaluator.evaluate(node.value)


def _assign(evaluator: Evaluator, node: ast.Assign) -> None:
    if evaluator.loops and type(node.value) is ast.BinOp and type(node.targets[0]) is ast.Name:
        loops.check_doubling(evaluator, node, node.targets[0].id, node.value)
    value = evaluator.evaluate(node.value)
    if value is not None and (value.name or value.taint or value.function):
        value = value.through(node)
    for target in node.targets:
        targets.bind(evaluator, target, value)


def _annotated(evaluator: Evaluator, node: ast.AnnAssign) -> None:
    if type(node.annotation) is not ast.Name:
        evaluator.evaluate(node.annotation)
        read_annotation(evaluator, node.annotation)
    value = evaluator.evaluate(node.value) if node.value is not None else None
    if node.value is not None:
        targets.bind(evaluator, node.target, value)


def _augmented(evaluator: Evaluator, node: ast.AugAssign) -> None:
    target = node.target
    if evaluator.loops and type(target) is ast.Name:
        loops.check_doubling(evaluator, node, target.id, node.value)
    value = evaluator.evaluate(ast.copy_location(ast.BinOp(_as_load(target), node.op, node.value), node))
    in_loop = bool(evaluator.loops)
    if in_loop and value is not None and value.known and not value.taint:
        value = None
    targets.bind(evaluator, target, value)


def _as_load(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return target


def _return(evaluator: Evaluator, node: ast.Return) -> None:
    value = evaluator.evaluate(node.value) if node.value is not None else None
    evaluator.scope.results.append(value)


def _if(evaluator: Evaluator, node: ast.If) -> None:
    evaluator.evaluate(node.test)
    _perhaps(evaluator, node.body)
    if node.orelse:
        _perhaps(evaluator, node.orelse)


def _perhaps(evaluator: Evaluator, body: list[ast.stmt]) -> None:
    """Run what may not happen: a name of a module or a function may keep its meaning."""
    names = evaluator.scope.names
    before = {
        target.id: names.get(target.id)
        for statement in body
        if type(statement) is ast.Assign
        for target in statement.targets
        if type(target) is ast.Name
    }
    evaluator.run(body)
    for name, old in before.items():
        new = names.get(name)
        if old is None or not is_callable(old):
            continue
        if new is None or harm(old) > harm(new) or (old.name and not is_callable(new)):
            names[name] = old


def _for(evaluator: Evaluator, node: ast.For | ast.AsyncFor) -> None:
    value = evaluator.evaluate(node.iter)
    if value is not None and value.name == "os.environ":
        value = CALLS["os.environ.items"](evaluator, PythonCall(node.iter, "os.environ.items", [], {}))
    loops.check_for(evaluator, node, value)
    evaluator.loops.append(node)
    for turn in turns(evaluator, protocols.iterated(evaluator, node.iter, value)):
        targets.bind(evaluator, node.target, turn)
        evaluator.run(node.body)
    evaluator.loops.pop()
    evaluator.run(node.orelse)


def _while(evaluator: Evaluator, node: ast.While) -> None:
    evaluator.evaluate(node.test)
    loops.check_while(evaluator, node)
    evaluator.loops.append(node)
    evaluator.run(node.body)
    evaluator.loops.pop()
    evaluator.run(node.orelse)


def _with(evaluator: Evaluator, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = evaluator.evaluate(item.context_expr)
        if item.optional_vars is not None:
            targets.bind(
                evaluator, item.optional_vars, protocols.entered(evaluator, item.context_expr, value)
            )
    evaluator.run(node.body)


def _try(evaluator: Evaluator, node: Any) -> None:
    evaluator.run(node.body)
    for handler in node.handlers:
        if handler.type is not None and type(handler.type) is not ast.Name:
            evaluator.evaluate(handler.type)
        if handler.name:
            evaluator.scope.names[handler.name] = evaluator.raised
        _perhaps(evaluator, handler.body)
    evaluator.run(node.orelse)
    evaluator.run(node.finalbody)


def _match(evaluator: Evaluator, node: ast.Match) -> None:
    subject = evaluator.evaluate(node.subject)
    for case in node.cases:
        match_patterns.bind_pattern(evaluator, case.pattern, subject)
        if case.guard is not None:
            evaluator.evaluate(case.guard)
        evaluator.run(case.body)


def _delete(evaluator: Evaluator, node: ast.Delete) -> None:
    for target in node.targets:
        if type(target) is not ast.Name:
            evaluator.evaluate(target)


def _global(evaluator: Evaluator, node: ast.Global | ast.Nonlocal) -> None:
    scope = evaluator.scope
    for name in node.names:
        home = scope.module() if isinstance(node, ast.Global) else scope.binder(name)
        if home is not None and home is not scope:
            scope.homes[name] = home
            if name in home.names:
                scope.names[name] = home.names[name]


def _raise(evaluator: Evaluator, node: ast.Raise) -> None:
    value = evaluator.evaluate(node.exc) if node.exc is not None else None
    if value is not None and value.fields:
        evaluator.raised = value
    if node.cause is not None:
        evaluator.evaluate(node.cause)


def _assert(evaluator: Evaluator, node: ast.Assert) -> None:
    evaluator.evaluate(node.test)
    if node.msg is not None and type(node.msg) is not ast.Constant:
        evaluator.evaluate(node.msg)


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
