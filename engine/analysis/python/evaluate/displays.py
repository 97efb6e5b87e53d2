"""Evaluates displays of lists, tuples, sets and dictionaries, and subscripts of them."""

from __future__ import annotations

import ast
from itertools import chain
from typing import Any

from engine.analysis.python.evaluate import attributes, fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall
from engine.analysis.python.evaluate.targets import is_partial, item, parts_of
from engine.analysis.python.evaluate.values import PythonValue, derived, taint_of

_LONG = 16
_TEXT = (str, bytes)
_Display = ast.List | ast.Tuple | ast.Set


def sequence(evaluator: Evaluator, node: _Display) -> PythonValue | None:
    """A list, tuple or set."""
    elements = node.elts
    if not elements:
        return _empty()
    if all(type(element) is ast.Constant for element in elements):
        value = PythonValue([element.value for element in elements])  # type: ignore[attr-defined]
        if type(node) is ast.Tuple:
            value.const = tuple(value.const)
        if len(elements) >= _LONG:
            evaluator.lists.append(node)
        if type(value.const[0]) in _TEXT:
            evaluator.texts.extend(elements)  # type: ignore[arg-type]
        value.node = node
        return value
    return container(_spread(evaluator, elements), tuple if type(node) is ast.Tuple else list)


def _spread(evaluator: Evaluator, elements: list[ast.expr]) -> dict[Any, PythonValue | None]:
    """Return the elements by index, those of what is spread among them."""
    values: list[PythonValue | None] = []
    for element in elements:
        value = evaluator.evaluate(element)
        values.extend((type(element) is ast.Starred and parts_of(value)) or [value])
    return dict(enumerate(values))


def _empty() -> PythonValue:
    value = PythonValue()
    value.items = {}
    return value


def container(items: dict[Any, PythonValue | None], kind: type) -> PythonValue | None:
    """Return what holds `items`, as a constant where all of them are."""
    known = [value for value in items.values() if value is not None]
    if not known:
        return None
    value = PythonValue()
    value.items = items
    value.taint = taint_of(value)
    if (
        kind is not dict
        and len(known) == len(items)
        and all(part.known and part.name is None for part in known)
    ):
        value.const = kind(part.const for part in known)
    return value


def joined(op: ast.operator, left: PythonValue | None, right: PythonValue | None) -> PythonValue | None:
    """Return `left + right`, `left * n` or `left | right` of elements that are not all constants."""
    if type(op) is ast.Mult:
        return left if left is not None and left.items and not is_partial(left) else None
    if not all(map(_is_container, (left, right))):
        return None
    if type(op) is ast.Add:
        return container(dict(enumerate([*parts_of(left), *parts_of(right)])), list)
    merged = [value.items for value in (left, right) if value is not None and value.items]
    return (
        container(dict(chain.from_iterable(map(dict.items, merged))), dict) if type(op) is ast.BitOr else None
    )


def _is_container(value: PythonValue | None) -> bool:
    if value is None or value.name or is_partial(value):
        return False
    return isinstance(value.const, list | tuple) or value.items is not None


def mapping(evaluator: Evaluator, node: ast.Dict) -> PythonValue | None:
    """A dictionary."""
    if not node.values:
        return _empty()
    items: dict[Any, PythonValue | None] = {}
    for key, entry in zip(node.keys, node.values, strict=True):
        name: Any = key.value if isinstance(key, ast.Constant) else None
        if key is not None and name is None:
            known = evaluator.evaluate(key)
            name = known.const if known is not None and isinstance(known.const, str | int) else key
        value = evaluator.evaluate(entry)
        if key is None and value is not None and value.items and not value.name:
            items.update(value.items)
        else:
            items[name if key is not None else entry] = value
    if len(items) == 1 and node.keys[0] is None:
        return _copied(evaluator, node, next(iter(items.values()))) or container(items, dict)
    return container(items, dict)


def _copied(evaluator: Evaluator, node: ast.Dict, value: PythonValue | None) -> PythonValue | None:
    """`{**os.environ}` is a copy of the whole environment."""
    if value is None or value.name != "os.environ":
        return None
    return CALLS["os.environ.copy"](evaluator, PythonCall(node, "os.environ.copy", [], {}))


def subscript(evaluator: Evaluator, node: ast.Subscript) -> PythonValue | None:
    """An element, or what a namespace holds."""
    value = evaluator.evaluate(node.value)
    index = evaluator.evaluate(node.slice)
    if value is None:
        return None
    if value.name:
        return attributes.lookup_key(evaluator, node, value, index)
    if index is not None and index.known:
        if value.items is not None and _hashable(index.const) and index.const in value.items:
            return value.items[index.const]
        if value.known:
            return derived(fold.subscript(value.const, index.const), value)
        if value.items is not None and isinstance(index.const, slice):
            return container(dict(enumerate(list(value.items.values())[index.const])), list)
    return item(value, None)


def _hashable(key: Any) -> bool:
    return isinstance(key, str | int | bytes | float | bool)


def bounds(evaluator: Evaluator, node: ast.Slice) -> PythonValue | None:
    """The bounds of a slice."""
    parts = []
    for part in (node.lower, node.upper, node.step):
        value = evaluator.evaluate(part) if part is not None else None
        if part is not None and (value is None or not value.known):
            return None
        parts.append(value.const if value is not None else None)
    return PythonValue(slice(*parts))
