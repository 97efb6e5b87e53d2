"""Loop conditions that never change because nothing in the loop changes their operands."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from engine.analysis.python.evaluate import fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import NOTHING
from engine.analysis.python.parse.child_nodes import walk

_SHARED = re.compile(r"\b(?:global|nonlocal)\b([^\n;]*)")
_NAME = re.compile(r"\w+")
_PLAIN = (bool, int, float, str, type(None))
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def unchanged(evaluator: Evaluator, loop: ast.While) -> bool:
    """Whether the loop's condition is true, and what the loop does to its names cannot make it false."""
    names = set(_names(loop.test))
    if not names or None in names:
        return False
    if _truth(evaluator, loop.test) is not True:
        return False
    bound = {name for part in loop.body for name in _bound(part)}
    still = not names & bound or _moves_away(loop)
    return still and not names & _changed_elsewhere(evaluator.source)


_AWAY = {ast.Gt: ast.Add, ast.GtE: ast.Add, ast.Lt: ast.Sub, ast.LtE: ast.Sub}


def _moves_away(loop: ast.While) -> bool:
    """Whether `while x > 0` only ever adds a positive number to `x`, or `while x < 9` takes one off."""
    test = loop.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return False
    step = _AWAY.get(type(test.ops[0]))
    changes = [
        node
        for node in ast.walk(loop)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        if node.target.id == test.left.id
    ]
    bound = [name for part in loop.body for name in _bound(part) if name == test.left.id]
    only = len(changes) == len(bound) and isinstance(test.comparators[0], ast.Constant)
    return step is not None and only and all(_adds(node, step) for node in changes)


def _adds(node: ast.AugAssign, step: type[ast.operator]) -> bool:
    amount = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(node.op, step) and isinstance(amount, int | float) and amount > 0


def _names(test: ast.expr) -> Iterator[str | None]:
    """Yield the names that a condition asks; None where it asks more than names and constants."""
    if isinstance(test, ast.Name):
        yield test.id
    elif isinstance(test, ast.UnaryOp):
        yield from _names(test.operand)
    elif isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _names(part)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield from _names(test.left)
        yield from _names(test.comparators[0])
    elif not isinstance(test, ast.Constant):
        yield None


def _truth(evaluator: Evaluator, test: ast.expr) -> Any:
    """Return whether a condition holds at the start; NOTHING where that is not known."""
    value = _value(evaluator, test)
    return value if value is NOTHING else bool(value)


def _value(evaluator: Evaluator, test: ast.expr) -> Any:
    if isinstance(test, ast.Constant):
        return test.value
    if isinstance(test, ast.Name):
        known = evaluator.scope.lookup(test.id)
        return known.const if known is not None and isinstance(known.const, _PLAIN) else NOTHING
    if isinstance(test, ast.UnaryOp):
        operand = _value(evaluator, test.operand)
        return NOTHING if operand is NOTHING else fold.unary(test.op, operand)
    return _compared(evaluator, test) if isinstance(test, ast.Compare) else _combined(evaluator, test)


def _combined(evaluator: Evaluator, test: ast.expr) -> Any:
    truths = [_truth(evaluator, part) for part in test.values] if isinstance(test, ast.BoolOp) else [NOTHING]
    if NOTHING in truths:
        return NOTHING
    return all(truths) if isinstance(test.op, ast.And) else any(truths)  # type: ignore[attr-defined]


def _compared(evaluator: Evaluator, test: ast.Compare) -> Any:
    left, right = _value(evaluator, test.left), _value(evaluator, test.comparators[0])
    compare = COMPARISONS.get(type(test.ops[0]))
    if compare is None or left is NOTHING or right is NOTHING:
        return NOTHING
    return fold.attempt(lambda: compare(left, right))


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement or a function in it binds."""
    for node in walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


@lru_cache(4)
def _changed_elsewhere(source: str) -> frozenset[str]:
    """Return the names that functions may change from within: those behind `global` and `nonlocal`."""
    return frozenset(name for found in _SHARED.finditer(source) for name in _NAME.findall(found[1]))
