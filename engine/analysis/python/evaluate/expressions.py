"""What expressions mean."""

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
from engine.analysis.python.evaluate.evaluator import EXPRESSIONS, Walk
from engine.analysis.python.evaluate.patterns import HOLE, path_below, pattern, pattern_of
from engine.analysis.python.evaluate.scopes import Function
from engine.analysis.python.evaluate.targets import bind
from engine.analysis.python.evaluate.values import NOTHING, Value, derived, either
from engine.analysis.python.loops import resources

_LONG_WIDTH = 8
_TEXT = (str, bytes)
_Display = ast.List | ast.Tuple | ast.Set


def _constant(walk: Walk, node: ast.Constant) -> Value:
    value = Value(node.value)
    if type(node.value) in _TEXT:
        walk.texts.append(node)
    value.node = node
    return value


def _name(walk: Walk, node: ast.Name) -> Value | None:
    names = walk.scope.names
    value = names[node.id] if node.id in names else lookups.meaning(walk, node.id)
    if value is not None and value.name is not None and value.name in lookups.LOOSE:
        lookups.check_loose(walk, node, value)
    return value


def _binary(walk: Walk, node: ast.BinOp) -> Value | None:
    left, right = walk.value(node.left), walk.value(node.right)
    if type(node.op) is ast.Mod and left is not None and isinstance(left.const, str):
        resources.check_width(walk, node, left.const)
    if left is None and right is None:
        return None
    if type(node.op) is ast.Div and (_is_path(left) or _is_path(right)):
        return path_below(left, right)
    if left is not None and right is not None and left.known and right.known:
        resources.check_operation(walk, node, left.const, right.const)
        return derived(fold.binary(node.op, left.const, right.const), left, right)
    resources.check_growth(walk, node, left, right)
    return _partial_text(left, right, node) or derived(NOTHING, left, right)


def _is_path(value: Value | None) -> bool:
    return value is not None and value.name == "pathlib.Path()"


_CONVERSION = re.compile(r"%(?:\(\w*\))?[-+ #0]*[\d.*]*[a-zA-Z]")


def _partial_text(left: Value | None, right: Value | None, node: ast.BinOp) -> Value | None:
    """Keep the known half of a text: `"/etc/" + name` is a pattern."""
    if not isinstance(node.op, ast.Add | ast.Div | ast.Mod):
        return None
    first = pattern_of(left)
    if isinstance(node.op, ast.Mod):
        return pattern(_CONVERSION.sub(HOLE, first), left, right) if first != HOLE else None
    second = pattern_of(right)
    if first == HOLE and second in (HOLE, ""):
        return None
    return pattern(first + second, left, right)


def _joined(walk: Walk, node: ast.JoinedStr) -> Value | None:
    texts: list[str] = []
    parents: list[Value | None] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            walk.texts.append(part)
            texts.append(str(part.value))
        else:
            value = walk.value(part)
            parents.append(value)
            texts.append(pattern_of(value))
    text = "".join(texts)[: fold.MAX_TEXT]
    return pattern(text, *parents) if HOLE in text else derived(text, *parents)


def _formatted(walk: Walk, node: ast.FormattedValue) -> Value | None:
    if node.format_spec is not None:
        spec = walk.value(node.format_spec)
        if spec is not None and isinstance(spec.const, str) and len(spec.const) >= _LONG_WIDTH:
            resources.check_width(walk, node, spec.const)
    value = walk.value(node.value)
    attributes.check_formatted(walk, node.value)
    return value if node.format_spec is None else derived(NOTHING, value)


def _unary(walk: Walk, node: ast.UnaryOp) -> Value | None:
    value = walk.value(node.operand)
    if value is None or not value.known:
        return None
    return derived(fold.unary(node.op, value.const), value)


def _boolean(walk: Walk, node: ast.BoolOp) -> Value | None:
    found: Value | None = None
    for part in node.values:
        found = either(found, walk.value(part))
    return found


def _compare(walk: Walk, node: ast.Compare) -> None:
    walk.value(node.left)
    for part in node.comparators:
        walk.value(part)


def _conditional(walk: Walk, node: ast.IfExp) -> Value | None:
    walk.value(node.test)
    return either(walk.value(node.body), walk.value(node.orelse))


def _lambda(walk: Walk, node: ast.Lambda) -> Value:
    function = Function(node, walk.scope)
    definitions.read_defaults(walk, function)
    walk.pending.append(function)
    walk.functions.append(function)
    value = Value()
    value.function = function
    return value


def _walrus(walk: Walk, node: ast.NamedExpr) -> Value | None:
    value = walk.value(node.value)
    bind(walk, node.target, value)
    return value


def _inner(walk: Walk, node: ast.Await | ast.Starred) -> Value | None:
    return walk.value(node.value)


def _yield(walk: Walk, node: ast.Yield) -> None:
    value = walk.value(node.value) if node.value is not None else None
    if value is not None:
        walk.scope.results.append(displays.container({0: value}, list))


def _yield_from(walk: Walk, node: ast.YieldFrom) -> None:
    walk.scope.results.append(walk.value(node.value))


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
