"""Functions that are called implicitly: decorators, operators of classes, pickle hooks."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import calls, functions
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonClass, PythonFunction
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall
from engine.analysis.python.evaluate.values import DANGEROUS_CALLBACKS, PythonValue
from engine.analysis.python.rules.execution import INDIRECT_NAME
from engine.analysis.python.rules.objects import DESERIALIZE, PICKLE_PAYLOAD, TAMPER


def decorated(evaluator: Evaluator, decorator: ast.expr, value: PythonValue) -> PythonValue | None:
    """Return what a decorator makes of a function or class: it is a call with that as its argument."""
    if type(decorator) is ast.Name and not evaluator.scope.lookup(decorator.id):
        return None
    callee = evaluator.evaluate(decorator)
    if callee is not None and callee.name in DANGEROUS_CALLBACKS:
        calls.pass_callback(evaluator, decorator, callee)
    elif callee is not None and callee.name in _DETOURS:
        evaluator.report(INDIRECT_NAME, decorator, f"A decorator that calls `{callee.name}`")
    elif callee is not None and (callee.function is not None or callee.owner is not None):
        made = calls.invoke(evaluator, decorator, callee, [value], {})
        return made if made is not None and (made.function or made.owner) else None
    return None


_DETOURS = frozenset(("builtins.open", "builtins.input"))
"""Functions that are decorators only where calls are forbidden."""


def class_defined(evaluator: Evaluator, node: ast.ClassDef, owner: PythonClass) -> None:
    """Check what a class passes to the interpreter: operators that are dangerous functions, `__reduce__`."""
    for name, value in owner.attributes.items():
        if name.startswith("__") and value is not None and value.name in DANGEROUS_CALLBACKS:
            calls.pass_callback(evaluator, _assigned(node, name), value)
    for statement in node.body:
        if _always_equal(statement):
            evaluator.report(TAMPER, statement, "Equal to everything, whatever it is compared with")
    if {"pickle.Unpickler", "dill.Unpickler"} & set(owner.bases):
        evaluator.report(DESERIALIZE, node.bases[0], "Subclasses an unpickler")
    for name in ("__reduce__", "__reduce_ex__"):
        method = owner.attributes.get(name)
        if method is not None and isinstance(method.function, PythonFunction):
            _check_reduce(evaluator, node, method.function, owner)


def _always_equal(statement: ast.stmt) -> bool:
    """Whether a statement defines `__eq__` or `__ne__` with an answer that does not depend on anything."""
    if isinstance(statement, ast.FunctionDef):
        name, body = statement.name, [part for part in statement.body if not _is_text(part)]
        given = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name, value = statement.targets[0].id, statement.value
        given = value.body if isinstance(value, ast.Lambda) else None
    else:
        return False
    wanted = {"__eq__": True, "__ne__": False}.get(name)
    return wanted is not None and isinstance(given, ast.Constant) and given.value is wanted


def _is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _assigned(node: ast.ClassDef, name: str) -> ast.expr:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return statement.value
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def _check_reduce(
    evaluator: Evaluator, node: ast.ClassDef, function: PythonFunction, owner: PythonClass
) -> None:
    me = PythonValue()
    me.owner = owner
    result = functions.call_function(evaluator, function, [me], {})
    first = result.items.get(0) if result is not None and result.items else None
    if first is not None and first.name in DANGEROUS_CALLBACKS:
        evaluator.report(PICKLE_PAYLOAD, function.node, f"Loading the pickle calls {first.name}", value=first)
        args = result.items.get(1) if result is not None and result.items else None
        values = list(args.items.values()) if args is not None and args.items else []
        if args is not None and isinstance(args.const, list | tuple):
            values = [PythonValue(part) for part in args.const]
        CALLS[first.name](evaluator, PythonCall(_place(node), first.name, values, {}, None, first))


def _place(node: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Name("_", ast.Load()), node)
