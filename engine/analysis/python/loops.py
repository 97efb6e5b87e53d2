"""Loops without an exit, and what they do at every turn."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from engine.analysis.python import fold
from engine.analysis.python.rules import resources as rules
from engine.analysis.python.values import Value
from engine.analysis.python.walk import Walk
from engine.analysis.python.words import words
from engine.models import Level

_EXITS = frozenset(("exit", "_exit", "quit", "abort", "kill", "destroy", "execv"))
_WAITS = frozenset(
    words(
        "input sleep accept recv recvfrom get wait select poll read readline join clock tick update "
        "process_events mainloop acquire next runAndWait listen waitKey"
    )
)
_FAR = 10**10
"""Turns of a loop that take more than minutes."""
_STARTS = frozenset(("Thread", "Process", "Popen", "fork", "Timer"))


def check_while(walk: Walk, node: ast.While) -> None:
    """Report `while True` that nothing ends."""
    if not always_true(node.test):
        return
    _check_body(walk, node, "`while` without an exit")


def always_true(test: ast.expr) -> bool:
    """Whether a condition of constants holds for ever: `True`, `not 0`, `1 == 1`, `1 < 2`."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and not test.operand.value
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, right = test.left, test.comparators[0]
    if not isinstance(left, ast.Constant) or not isinstance(right, ast.Constant):
        return False
    compare = _COMPARISONS.get(type(test.ops[0]))
    return compare is not None and fold.attempt(lambda: compare(left.value, right.value)) is True


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
}


def check_for(walk: Walk, node: ast.For | ast.AsyncFor, value: Value | None) -> None:
    """Report a loop over an endless iterator that nothing ends."""
    if value is not None and value.name == "endless":
        _check_body(walk, node, "A loop over an endless iterator")
    turns = value.items.get("turns") if value is not None and value.items is not None else None
    if turns is not None and isinstance(turns.const, int) and turns.const >= _FAR:
        _check_body(walk, node, f"A loop of {min(turns.const, 10**18):,} turns")


def check_doubling(walk: Walk, node: ast.stmt, name: str, value: ast.expr) -> None:
    """Report a text or list that doubles at every turn of a loop: forty turns are a terabyte."""
    if isinstance(node, ast.AugAssign):
        doubles = isinstance(node.op, ast.Add) and _is_name(value, name)
    else:
        added = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)
        doubles = added and _is_name(value.left, name) and _is_name(value.right, name)  # type: ignore[attr-defined]
    known = walk.scope.lookup(name) if doubles else None
    if known is not None and (known.items is not None or isinstance(known.const, str | bytes | list | tuple)):
        walk.report(rules.GROWTH, node, f"`{name}` doubles at every turn", severity=Level.MEDIUM)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def check_growth(walk: Walk, node: ast.Call, name: str) -> None:
    """Report `for x in xs: xs.append(...)`: a loop that lengthens what it runs over."""
    for loop in walk.loops:
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name) and loop.iter.id == name:
            parts = list(_inside(loop.body))
            if not any(isinstance(part, ast.Return | ast.Break | ast.Raise) for part in parts):
                message = f"The loop lengthens `{name}`, over which it runs"
                walk.report(rules.GROWTH, node, message, severity=Level.MEDIUM)


def _check_body(walk: Walk, node: ast.While | ast.For | ast.AsyncFor, message: str) -> None:
    calls: set[str] = set()
    grows = False
    for part in _inside(node.body):
        if isinstance(part, ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await):
            return
        if isinstance(part, ast.Break):
            return
        if isinstance(part, ast.Call):
            calls.add(_called(part))
        if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add | ast.Mult | ast.Pow | ast.LShift):
            grows = grows or not isinstance(part.value, ast.Constant) or isinstance(part.value.value, str)
    if calls & _EXITS:
        return
    walk.touched += 1
    if calls & _STARTS and not calls & (_WAITS - {"join"}):
        walk.report(rules.BOMB, node, "Starts processes or threads in a loop without an exit")
    if (calls & {"append", "extend", "insert", "add", "update"} or grows) and not calls & _WAITS:
        walk.report(rules.GROWTH, node, "Grows in a loop without an exit")
    level = Level.LOW if calls & _WAITS else None
    walk.report(rules.ENDLESS, node, message, severity=level)


def _called(node: ast.Call) -> str:
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node of a loop's body that belongs to it: not inner functions, and no `break` of inner loops."""
    queue: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while queue:
        node, nested = queue.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Break) and nested:
            continue
        yield node
        inner = nested or isinstance(node, ast.While | ast.For | ast.AsyncFor)
        queue.extend((child, inner) for child in ast.iter_child_nodes(node))
