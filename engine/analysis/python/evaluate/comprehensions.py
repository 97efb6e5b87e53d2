"""Comprehensions: computed where they only build a constant, else looked into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.scopes import Scope
from engine.analysis.python.evaluate.targets import bind, element
from engine.analysis.python.evaluate.values import Value, derived, taint_of
from engine.analysis.python.loops.loops import turns_of
from engine.analysis.python.loops.resources import too_many
from engine.analysis.python.rules.resources import ENDLESS
from engine.models import Level

_MAX_ITEMS = 4096
_LAZY_TURNS = 10**7
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def comprehension(walk: Walk, node: Comprehension) -> Value | None:
    """Return the elements as a constant, or what is known about any one of them."""
    outer = walk.scope
    first = walk.value(node.generators[0].iter)
    if not isinstance(node, ast.GeneratorExp):
        _check_size(walk, node, first)
    walk.scope = Scope(outer)
    walk.loops.append(node)
    try:
        computed = _computed(walk, node, first)
        return computed if computed is not None else _looked_into(walk, node, first)
    finally:
        walk.loops.pop()
        walk.scope = outer


def _check_size(walk: Walk, node: Comprehension, first: Value | None) -> None:
    """Report a list that is made of an endless iterator, or of very many turns."""
    if first is not None and first.name == "endless":
        walk.report(ENDLESS, node, "Collects an endless iterator", severity=Level.HIGH)
    turns = turns_of(first)
    for generator in node.generators[1:] if turns else ():
        turns *= turns_of(walk.value(generator.iter)) if isinstance(generator.iter, ast.Call) else 1
    too_many(walk, node, turns * 8)


def _looked_into(walk: Walk, node: Comprehension, first: Value | None) -> Value | None:
    endless = first is not None and first.name == "endless"
    for index, generator in enumerate(node.generators):
        bind(walk, generator.target, element(walk.value(generator.iter) if index else first))
        for test in generator.ifs:
            walk.value(test)
    if isinstance(node, ast.DictComp):
        taint = taint_of(walk.value(node.key), walk.value(node.value))
        return Value(taint=taint) if taint else None
    value = walk.value(node.elt)
    if isinstance(node, ast.GeneratorExp) and (endless or turns_of(first) >= _LAZY_TURNS):
        return _lazy(value, first)
    if value is None:
        return None
    found = Value(taint=value.taint)
    found.items = {0: value}
    return found


def _lazy(value: Value | None, first: Value | None) -> Value:
    """Return a generator that has no end, or so many turns that what collects it must be told."""
    found = Value(name=first.name if first is not None else None, taint=taint_of(value))
    found.items = first.items if first is not None else None
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
