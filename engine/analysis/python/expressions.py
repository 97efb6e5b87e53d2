"""What expressions mean."""

from __future__ import annotations

import ast
from typing import Any

from engine.analysis.python import attributes, calls, comprehensions, fold, resources
from engine.analysis.python.names import KNOWN
from engine.analysis.python.patterns import HOLE, pattern, pattern_of
from engine.analysis.python.scopes import Function, Scope
from engine.analysis.python.targets import bind, item
from engine.analysis.python.values import NOTHING, Value, derived, either, taint_of
from engine.analysis.python.walk import EXPRESSIONS, Walk

_LONG = 24
_TEXT = (str, bytes)
_Display = ast.List | ast.Tuple | ast.Set


def _constant(walk: Walk, node: ast.Constant) -> Value:
    value = Value(node.value)
    if type(node.value) in _TEXT:
        walk.texts.append(node)
    value.node = node
    return value


def _name(walk: Walk, node: ast.Name) -> Value | None:
    name = node.id
    scope: Scope | None = walk.scope
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    if walk.stars:
        found = calls.starred(walk, name)
        if found is not None:
            return found
    return KNOWN.get(name)


def _binary(walk: Walk, node: ast.BinOp) -> Value | None:
    left, right = walk.value(node.left), walk.value(node.right)
    if left is None and right is None:
        return None
    if left is not None and right is not None and left.known and right.known:
        resources.check_operation(walk, node, left.const, right.const)
        return derived(fold.binary(node.op, left.const, right.const), left, right)
    resources.check_growth(walk, node, left, right)
    if (left is not None and left.name == "pathlib.Path()") or (
        right is not None and right.name == "pathlib.Path()"
    ):
        return Value(NOTHING, "pathlib.Path()", taint=taint_of(left, right))
    return _partial_text(left, right, node) or derived(NOTHING, left, right)


def _partial_text(left: Value | None, right: Value | None, node: ast.BinOp) -> Value | None:
    """Keep the known half of a text: `"/etc/" + name` is a pattern."""
    if not isinstance(node.op, ast.Add | ast.Div | ast.Mod):
        return None
    first = pattern_of(left)
    second = "" if isinstance(node.op, ast.Mod) else pattern_of(right)
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
        walk.value(node.format_spec)
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
    walk.pending.append(function)
    walk.functions.append(function)
    value = Value()
    value.function = function
    return value


def _display(walk: Walk, node: _Display) -> Value | None:
    elements = node.elts
    if not elements:
        return _empty()
    if all(type(element) is ast.Constant for element in elements):
        value = Value([element.value for element in elements])  # type: ignore[attr-defined]
        if type(node) is ast.Tuple:
            value.const = tuple(value.const)
        if len(elements) >= _LONG:
            walk.lists.append(node)
        if type(value.const[0]) in _TEXT:
            walk.texts.extend(elements)  # type: ignore[arg-type]
        value.node = node
        return value
    items = {index: walk.value(element) for index, element in enumerate(elements)}
    return _container(items, tuple if type(node) is ast.Tuple else list)


def _empty() -> Value:
    value = Value()
    value.items = {}
    return value


def _container(items: dict[Any, Value | None], kind: type) -> Value | None:
    known = [value for value in items.values() if value is not None]
    if not known:
        return None
    value = Value()
    value.items = items
    value.taint = taint_of(value)
    if (
        kind is not dict
        and len(known) == len(items)
        and all(part.known and part.name is None for part in known)
    ):
        value.const = kind(part.const for part in known)
    return value


def _dict(walk: Walk, node: ast.Dict) -> Value | None:
    if not node.values:
        return _empty()
    items: dict[Any, Value | None] = {}
    for key, entry in zip(node.keys, node.values, strict=True):
        name: Any = key.value if isinstance(key, ast.Constant) else None
        if key is not None and name is None:
            known = walk.value(key)
            name = known.const if known is not None and isinstance(known.const, str | int) else key
        items[name if key is not None else entry] = walk.value(entry)
    return _container(items, dict)


def _subscript(walk: Walk, node: ast.Subscript) -> Value | None:
    value = walk.value(node.value)
    index = walk.value(node.slice)
    if value is None:
        return None
    if value.name:
        return attributes.looked_up(walk, node, value, index)
    if index is not None and index.known:
        if value.items is not None and _hashable(index.const) and index.const in value.items:
            return value.items[index.const]
        if value.known:
            return derived(fold.subscript(value.const, index.const), value)
    return item(value, None)


def _hashable(key: Any) -> bool:
    return isinstance(key, str | int | bytes | float | bool)


def _slice(walk: Walk, node: ast.Slice) -> Value | None:
    parts = []
    for part in (node.lower, node.upper, node.step):
        value = walk.value(part) if part is not None else None
        if part is not None and (value is None or not value.known):
            return None
        parts.append(value.const if value is not None else None)
    return Value(slice(*parts))


def _walrus(walk: Walk, node: ast.NamedExpr) -> Value | None:
    value = walk.value(node.value)
    bind(walk, node.target, value)
    return value


def _inner(walk: Walk, node: ast.Await | ast.Starred | ast.YieldFrom) -> Value | None:
    return walk.value(node.value)


def _yield(walk: Walk, node: ast.Yield) -> None:
    value = walk.value(node.value) if node.value is not None else None
    walk.scope.results.append(value)


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
        ast.List: _display,
        ast.Tuple: _display,
        ast.Set: _display,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.NamedExpr: _walrus,
        ast.Await: _inner,
        ast.Starred: _inner,
        ast.YieldFrom: _inner,
        ast.Yield: _yield,
        ast.ListComp: comprehensions.comprehension,
        ast.SetComp: comprehensions.comprehension,
        ast.GeneratorExp: comprehensions.comprehension,
        ast.DictComp: comprehensions.comprehension,
    }
)
