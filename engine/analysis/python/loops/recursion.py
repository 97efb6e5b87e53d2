"""Functions that call themselves on every path, directly or through others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonFunction, PythonScope
from engine.analysis.python.evaluate.values import PythonValue
from engine.models import Level

RECURSION = python_rule(
    "py-endless-recursion",
    "A function calls itself without a condition",
    "resource",
    Level.MEDIUM,
    attack="Exhausts the stack; with a raised limit, crashes the interpreter.",
    why="MEDIUM: the interpreter's limit ends it; HIGH where the limit is raised.",
    fix="Give the recursion an exit.",
    match=(
        "def f():\n    f()",
        "def a():\n    b()\ndef b():\n    a()",
        "f = lambda: f()",
        "class A:\n    def __init__(self):\n        self.a = A()",
    ),
    not_match=(
        "def f(n):\n    if n:\n        f(n - 1)",
        "def f(n):\n    return n and f(n - 1)",
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n != 0 and even(n - 1)",
    ),
    cwe=674,
)


_MAX_DEPTH = 4
_BRANCHES = (ast.If, ast.Try, ast.While, ast.For, ast.With, ast.Match, ast.Raise)


def check(evaluator: Evaluator, function: PythonFunction, scope: PythonScope) -> None:
    """Report a function whose every path calls it again; `scope` has its parameters."""
    for call in _certain(function):
        if _leads_back(_called(call.func, scope, function), function, _MAX_DEPTH):
            name = getattr(function.node, "name", "The lambda")
            evaluator.report(RECURSION, call, f"`{name}` calls itself on every path")
            return


def _leads_back(found: PythonFunction | None, function: PythonFunction, depth: int) -> bool:
    if found is None or found is function:
        return found is function
    if depth == 0 or found.owner is not None:
        return False
    calls = _certain(found)
    return any(_leads_back(_called(call.func, found.scope, found), function, depth - 1) for call in calls)


def _called(func: ast.expr, scope: PythonScope, caller: PythonFunction) -> PythonFunction | None:
    """Return the function of the code that is called, where it is plain which one that is."""
    if isinstance(func, ast.Attribute):
        mine = isinstance(func.value, ast.Name) and func.value.id in ("self", "cls")
        attribute = caller.owner.attributes.get(func.attr) if mine and caller.owner is not None else None
        return _function(attribute)
    value = scope.lookup(func.id) if isinstance(func, ast.Name) else None
    if value is not None and value.owner is not None and value.function is None:
        return _function(value.owner.attributes.get("__init__")) if _is_class(value, func) else None
    return _function(value)


def _function(value: PythonValue | None) -> PythonFunction | None:
    return value.function if value is not None and isinstance(value.function, PythonFunction) else None


def _is_class(value: PythonValue, func: ast.expr) -> bool:
    """Whether a value is the class itself, and not one of its instances."""
    return isinstance(func, ast.Name) and value.owner.name == func.id


def _certain(function: PythonFunction) -> Iterator[ast.Call]:
    """Yield the calls that are reached on every path."""
    node = function.node
    if isinstance(node, ast.Lambda):
        yield from _calls(node.body)
        return
    for statement in node.body:
        if isinstance(statement, _BRANCHES):
            return
        yield from _calls(getattr(statement, "value", None))
        if isinstance(statement, ast.Return):
            return


_EVALUATED = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Await, ast.Attribute)


def _calls(value: object) -> Iterator[ast.Call]:
    """Yield calls that are not behind `and`, `or`, a condition, a lambda or a comprehension."""
    queue = [value]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Call):
            yield node
        if isinstance(node, _EVALUATED):
            queue.extend(ast.iter_child_nodes(node))
