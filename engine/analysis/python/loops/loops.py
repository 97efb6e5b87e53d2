"""Loops without an exit, and what they do in every iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.evaluate import fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.loops import conditions
from engine.analysis.python.parse.child_nodes import child_nodes
from engine.analysis.python.rules import resources as rules
from engine.analysis.python.word_lists import words
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
_MANY_LINES = 10**7
"""Turns of a loop that prints at each of them: hundreds of megabytes of output."""
_FEW = 20
"""Turns after which what doubled is not yet large."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_STARTS = frozenset(("Thread", "Process", "Popen", "fork", "Timer"))


def check_while(evaluator: Evaluator, node: ast.While) -> None:
    """Report `while True` that nothing ends, and a condition that nothing in the loop changes."""
    if always_true(node.test):
        _check_body(evaluator, node, "`while` without an exit")
    elif conditions.unchanged(evaluator, node):
        _check_body(evaluator, node, "`while` whose condition nothing in it changes")


def always_true(test: ast.expr) -> bool:
    """Return whether a constant condition is always true: `True`, `not 0`, `1 == 1`, `1 < 2`."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and not test.operand.value
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, right = test.left, test.comparators[0]
    if not isinstance(left, ast.Constant) or not isinstance(right, ast.Constant):
        return False
    compare = conditions.COMPARISONS.get(type(test.ops[0]))
    return compare is not None and fold.attempt(lambda: compare(left.value, right.value)) is True


def check_for(evaluator: Evaluator, node: ast.For | ast.AsyncFor, value: PythonValue | None) -> None:
    """Report a loop over an endless iterator, or with very many iterations together with those around it."""
    if value is not None and value.name == "endless":
        _check_body(evaluator, node, "A loop over an endless iterator")
        return
    turns = turns_of(value)
    for loop in evaluator.loops:
        if turns > 1 and isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call):
            turns *= turns_of(evaluator.evaluate(loop.iter)) or 1
    if turns >= _FAR:
        _check_body(evaluator, node, f"A loop of {min(turns, 10**18):,} turns")
    if turns >= _MANY_LINES and any(_prints(statement) for statement in node.body):
        message = f"Prints {min(turns, 10**18):,} times"
        evaluator.report(rules.FLOOD, node, message, severity=Level.MEDIUM)


def turns_of(value: PythonValue | None) -> int:
    """Return how many elements an iterator gives, where that is known; 0 where it is not."""
    if value is None:
        return 0
    turns = value.items.get("turns") if value.items is not None else None
    if turns is not None:
        return turns.const if isinstance(turns.const, int) else 0
    return len(value.const) if isinstance(value.const, list | tuple) else 0


def _prints(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and _called(call) in ("print", "write")


def check_doubling(evaluator: Evaluator, node: ast.stmt, name: str, value: ast.expr) -> None:
    """Report a text or list that doubles in every iteration of a loop: forty iterations are a terabyte."""
    if _squares(node, name, value):
        _check_square(evaluator, node, name)
    if not _doubles(node, name, value):
        return
    known = evaluator.scope.lookup(name)
    if known is None or not (known.items is not None or isinstance(known.const, fold.SEQUENCES)):
        return
    loop = evaluator.loops[-1]
    turns = turns_of(evaluator.evaluate(loop.iter)) if isinstance(loop, ast.For) else 0
    if not 0 < turns < _FEW:
        evaluator.report(rules.GROWTH, node, f"`{name}` doubles in every iteration", severity=Level.MEDIUM)


def _doubles(node: ast.stmt, name: str, value: ast.expr) -> bool:
    """Whether a statement is `x += x`, `x = x + x`, `x *= 2` or `x = x * 2`."""
    if isinstance(node, ast.AugAssign):
        return _is_name(value, name) if isinstance(node.op, ast.Add) else _multiplies(node.op, value)
    if not isinstance(value, ast.BinOp) or not _is_name(value.left, name):
        return False
    if isinstance(value.op, ast.Add):
        return _is_name(value.right, name)
    return _multiplies(value.op, value.right)


def _squares(node: ast.stmt, name: str, value: ast.expr) -> bool:
    """Whether a statement is `x *= x`, `x = x * x`, `x **= 2` or `x = x ** 2`."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Pow) or (isinstance(node.op, ast.Mult) and _is_name(value, name))
    if not isinstance(value, ast.BinOp) or not _is_name(value.left, name):
        return False
    return isinstance(value.op, ast.Pow) or (isinstance(value.op, ast.Mult) and _is_name(value.right, name))


def _check_square(evaluator: Evaluator, node: ast.stmt, name: str) -> None:
    """Report a number whose digits double in every turn of a loop that turns often."""
    loop = evaluator.loops[-1]
    turns = turns_of(evaluator.evaluate(loop.iter)) if isinstance(loop, ast.For) else 0
    known = evaluator.scope.lookup(name)
    if turns >= _MANY_SQUARES and known is not None and isinstance(known.const, int) and abs(known.const) > 1:
        message = f"The digits of `{name}` double in every iteration"
        evaluator.report(rules.ALLOCATION, node, message, severity=Level.HIGH)


_MANY_SQUARES = 30
"""Turns after which a number has about a billion digits."""


def _multiplies(op: ast.operator, value: ast.expr) -> bool:
    count = value.value if isinstance(value, ast.Constant) else None
    return isinstance(op, ast.Mult) and isinstance(count, int) and count > 1


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def check_growth(evaluator: Evaluator, node: ast.Call, name: str) -> None:
    """Report `for x in xs: xs.append(...)`: a loop that lengthens what it runs over."""
    for loop in evaluator.loops:
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name) and loop.iter.id == name:
            parts = list(_inside(loop.body))
            if not any(isinstance(part, ast.Return | ast.Break | ast.Raise) for part in parts):
                message = f"The loop lengthens `{name}`, over which it runs"
                evaluator.report(rules.GROWTH, node, message, severity=Level.MEDIUM)


def _check_body(evaluator: Evaluator, node: ast.While | ast.For | ast.AsyncFor, message: str) -> None:
    parts = list(_inside(node.body))
    if any(isinstance(part, _LEAVES) for part in parts):
        return
    if any(isinstance(part, _YIELDS) for part in parts):
        evaluator.scope.results.append(PythonValue(name="endless"))
        return
    calls = {_called(part) for part in parts if isinstance(part, ast.Call)}
    grows = any(_grows(part) for part in parts)
    if calls & _EXITS:
        return
    evaluator.relevant += 1
    if calls & _STARTS and not calls & (_WAITS - {"join"}):
        evaluator.report(rules.BOMB, node, "Starts processes or threads in a loop without an exit")
    if (calls & {"append", "extend", "insert", "add", "update"} or grows) and not calls & _WAITS:
        evaluator.report(rules.GROWTH, node, "Grows in a loop without an exit")
    level = Level.LOW if calls & _WAITS else None
    evaluator.report(rules.ENDLESS, node, message, severity=level)


_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Await)
_YIELDS = (ast.Yield, ast.YieldFrom)


def _grows(node: ast.AST) -> bool:
    """Whether something becomes larger by more than a number: `x += y`, `x += 'a'`, `x *= 2`."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, _GROWING):
        return False
    return not isinstance(node.value, ast.Constant) or isinstance(node.value.value, str)


_GROWING = (ast.Add, ast.Mult, ast.Pow, ast.LShift)


def _called(node: ast.Call) -> str:
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.While, ast.For, ast.AsyncFor)


def _inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node of a loop's body that belongs to it: not inner functions, and no `break` of inner loops."""
    queue: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while queue:
        node, nested = queue.pop()
        if isinstance(node, _DEFINITIONS):
            continue
        if isinstance(node, ast.Break) and nested:
            continue
        yield node
        inner = nested or isinstance(node, _LOOPS)
        queue += [(child, inner) for child in child_nodes(node)]
