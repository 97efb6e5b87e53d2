"""Displays of lists, tuples, sets and dictionaries, and what is taken out of them."""

from __future__ import annotations

import ast
from typing import Any

from engine.analysis.python.evaluate import attributes, fold
from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.targets import item
from engine.analysis.python.evaluate.values import Value, derived, taint_of

_LONG = 24
_TEXT = (str, bytes)
_Display = ast.List | ast.Tuple | ast.Set


def sequence(walk: Walk, node: _Display) -> Value | None:
    """A list, tuple or set."""
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
    return container(items, tuple if type(node) is ast.Tuple else list)


def _empty() -> Value:
    value = Value()
    value.items = {}
    return value


def container(items: dict[Any, Value | None], kind: type) -> Value | None:
    """Return what holds `items`, as a constant where all of them are."""
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


def mapping(walk: Walk, node: ast.Dict) -> Value | None:
    """A dictionary."""
    if not node.values:
        return _empty()
    items: dict[Any, Value | None] = {}
    for key, entry in zip(node.keys, node.values, strict=True):
        name: Any = key.value if isinstance(key, ast.Constant) else None
        if key is not None and name is None:
            known = walk.value(key)
            name = known.const if known is not None and isinstance(known.const, str | int) else key
        items[name if key is not None else entry] = walk.value(entry)
    return container(items, dict)


def subscript(walk: Walk, node: ast.Subscript) -> Value | None:
    """An element, or what a namespace holds."""
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
        if value.items is not None and isinstance(index.const, slice):
            return container(dict(enumerate(list(value.items.values())[index.const])), list)
    return item(value, None)


def _hashable(key: Any) -> bool:
    return isinstance(key, str | int | bytes | float | bool)


def bounds(walk: Walk, node: ast.Slice) -> Value | None:
    """The bounds of a slice."""
    parts = []
    for part in (node.lower, node.upper, node.step):
        value = walk.value(part) if part is not None else None
        if part is not None and (value is None or not value.known):
            return None
        parts.append(value.const if value is not None else None)
    return Value(slice(*parts))
