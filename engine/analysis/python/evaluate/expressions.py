"""Evaluates expressions; registers a handler for each node type."""

from __future__ import annotations

import ast
import re

from engine.analysis.python.evaluate import (
    attributes,
    calls,
    comprehensions,
    definitions,
    displays,
    fold,
    lookups,
)
from engine.analysis.python.evaluate.evaluator import EXPRESSIONS, Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, path_below, pattern, pattern_of
from engine.analysis.python.evaluate.scopes import PythonFunction
from engine.analysis.python.evaluate.targets import bind
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived, either
from engine.analysis.python.loops import resources

_LONG_WIDTH = 8
_TEXT = (str, bytes)
_Display = ast.List | ast.Tuple | ast.Set


def _constant(evaluator: Evaluator, node: ast.Constant) -> PythonValue:
    value = PythonValue(node.value)
    if type(node.value) in _TEXT:
        evaluator.texts.append(node)
    value.node = node
    return value


def _name(evaluator: Evaluator, node: ast.Name) -> PythonValue | None:
    names = evaluator.scope.names
    value = names[node.id] if node.id in names else lookups.lookup(evaluator, node.id)
    if value is not None and value.name is not None and value.name in lookups.LOOSE:
        lookups.report_if_passed(evaluator, node, value)
    return value


def _binary(evaluator: Evaluator, node: ast.BinOp) -> PythonValue | None:
    left, right = evaluator.evaluate(node.left), evaluator.evaluate(node.right)
    if type(node.op) is ast.Mod and left is not None and isinstance(left.const, str):
        resources.check_width(evaluator, node, left.const)
    if left is None and right is None:
        return None
    if (left is not None and left.items) or (right is not None and right.items):
        joined = displays.joined(node.op, left, right)
        if joined is not None:
            return joined
    if type(node.op) is ast.Div and (_is_path(left) or _is_path(right)):
        return path_below(left, right)
    if left is not None and right is not None and left.known and right.known:
        resources.check_operation(evaluator, node, left.const, right.const)
        made = derived(fold.binary(node.op, left.const, right.const), left, right)
        return made or resources.long_text(node, left.const, right.const)
    resources.check_growth(evaluator, node, left, right)
    return _partial_text(left, right, node) or derived(NOTHING, left, right)


def _is_path(value: PythonValue | None) -> bool:
    return value is not None and value.name == "pathlib.Path()"


_CONVERSION = re.compile(r"%(?:\(\w*\))?[-+ #0]*[\d.*]*[a-zA-Z]")


_JOINING = (ast.Add, ast.Div, ast.Mod)


def _partial_text(left: PythonValue | None, right: PythonValue | None, node: ast.BinOp) -> PythonValue | None:
    """Keep the known half of a text: `"/etc/" + name` is a pattern."""
    if not isinstance(node.op, _JOINING):
        return None
    first = pattern_of(left)
    if isinstance(node.op, ast.Mod):
        return pattern(_CONVERSION.sub(HOLE, first), left, right) if first != HOLE else None
    second = pattern_of(right)
    if first == HOLE and second in (HOLE, ""):
        return None
    return pattern(first + second, left, right)


def _joined(evaluator: Evaluator, node: ast.JoinedStr) -> PythonValue | None:
    texts: list[str] = []
    parents: list[PythonValue | None] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            evaluator.texts.append(part)
            texts.append(str(part.value))
        else:
            value = evaluator.evaluate(part)
            parents.append(value)
            texts.append(pattern_of(value))
    text = "".join(texts)[: fold.MAX_TEXT]
    return pattern(text, *parents) if HOLE in text else derived(text, *parents)


def _formatted(evaluator: Evaluator, node: ast.FormattedValue) -> PythonValue | None:
    if node.format_spec is not None:
        spec = evaluator.evaluate(node.format_spec)
        if spec is not None and isinstance(spec.const, str) and len(spec.const) >= _LONG_WIDTH:
            resources.check_width(evaluator, node, spec.const)
    value = evaluator.evaluate(node.value)
    attributes.check_formatted(evaluator, node.value)
    return value if node.format_spec is None else derived(NOTHING, value)


def _unary(evaluator: Evaluator, node: ast.UnaryOp) -> PythonValue | None:
    value = evaluator.evaluate(node.operand)
    if value is None or not value.known:
        return None
    return derived(fold.unary(node.op, value.const), value)


def _boolean(evaluator: Evaluator, node: ast.BoolOp) -> PythonValue | None:
    found: PythonValue | None = None
    for part in node.values:
        found = either(found, evaluator.evaluate(part))
    return found


def _compare(evaluator: Evaluator, node: ast.Compare) -> None:
    evaluator.evaluate(node.left)
    for part in node.comparators:
        evaluator.evaluate(part)


def _conditional(evaluator: Evaluator, node: ast.IfExp) -> PythonValue | None:
    evaluator.evaluate(node.test)
    return either(evaluator.evaluate(node.body), evaluator.evaluate(node.orelse))


def _lambda(evaluator: Evaluator, node: ast.Lambda) -> PythonValue:
    function = PythonFunction(node, evaluator.scope)
    definitions.read_defaults(evaluator, function)
    evaluator.pending.append(function)
    evaluator.functions.append(function)
    value = PythonValue()
    value.function = function
    return value


def _walrus(evaluator: Evaluator, node: ast.NamedExpr) -> PythonValue | None:
    value = evaluator.evaluate(node.value)
    bind(evaluator, node.target, value)
    return value


def _inner(evaluator: Evaluator, node: ast.Await | ast.Starred) -> PythonValue | None:
    return evaluator.evaluate(node.value)


def _yield(evaluator: Evaluator, node: ast.Yield) -> None:
    value = evaluator.evaluate(node.value) if node.value is not None else None
    if value is not None:
        evaluator.scope.yields.append(value)


def _yield_from(evaluator: Evaluator, node: ast.YieldFrom) -> None:
    evaluator.scope.results.append(evaluator.evaluate(node.value))


EXPRESSIONS.update(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: attributes.attribute,
        ast.Call: calls.call,
        ast.BinOp: _binary,
        ast.JoinedStr: _joined,
        ast.FormattedValue: _formatted,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.Lambda: _lambda,
        ast.List: displays.sequence,
        ast.Tuple: displays.sequence,
        ast.Set: displays.sequence,
        ast.Dict: displays.mapping,
        ast.Subscript: displays.subscript,
        ast.Slice: displays.bounds,
        ast.NamedExpr: _walrus,
        ast.Await: _inner,
        ast.Starred: _inner,
        ast.YieldFrom: _yield_from,
        ast.Yield: _yield,
        ast.ListComp: comprehensions.comprehension,
        ast.SetComp: comprehensions.comprehension,
        ast.GeneratorExp: comprehensions.comprehension,
        ast.DictComp: comprehensions.comprehension,
    }
)
