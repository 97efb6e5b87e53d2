"""Comprehensions: computed where they only build a constant, else looked into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from engine.analysis.python.resources import too_many
from engine.analysis.python.scopes import Scope
from engine.analysis.python.targets import bind, element
from engine.analysis.python.values import Value, derived, taint_of
from engine.analysis.python.walk import Walk

_MAX_ITEMS = 4096
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def comprehension(walk: Walk, node: Comprehension) -> Value | None:
    """Return the elements as a constant, or what is known about any one of them."""
    outer = walk.scope
    first = walk.value(node.generators[0].iter)
    if not isinstance(node, ast.GeneratorExp) and first is not None and first.items is not None:
        turns = first.items.get("turns")
        if turns is not None:
            too_many(walk, node, turns.const * 8)
    walk.scope = Scope(outer)
    try:
        computed = _computed(walk, node, first)
        return computed if computed is not None else _looked_into(walk, node, first)
    finally:
        walk.scope = outer


def _looked_into(walk: Walk, node: Comprehension, first: Value | None) -> Value | None:
    for index, generator in enumerate(node.generators):
        bind(walk, generator.target, element(walk.value(generator.iter) if index else first))
        for test in generator.ifs:
            walk.value(test)
    if isinstance(node, ast.DictComp):
        taint = taint_of(walk.value(node.key), walk.value(node.value))
        return Value(taint=taint) if taint else None
    value = walk.value(node.elt)
    if value is None:
        return None
    found = Value(taint=value.taint)
    found.items = {0: value}
    return found


def _computed(walk: Walk, node: Comprehension, source: Value | None) -> Value | None:
    """Comprehensions over constants whose elements are texts or numbers, within the budget."""
    if isinstance(node, ast.DictComp) or len(node.generators) != 1 or node.generators[0].ifs:
        return None
    if source is None or source.name or not isinstance(source.const, str | bytes | list | tuple):
        return None
    results = list(_elements(walk, node, node.generators[0], source.const))
    if len(results) != len(source.const):
        return None
    return derived([value.const for value in results], source, *results[:1])


def _elements(
    walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, generator: ast.comprehension, source: Any
) -> Iterator[Value]:
    if len(source) > _MAX_ITEMS:
        return
    for entry in source:
        walk.steps -= 1
        if walk.steps <= 0:
            return
        bind(walk, generator.target, Value(entry))
        value = walk.value(node.elt)
        if value is None or not value.known:
            return
        yield value
