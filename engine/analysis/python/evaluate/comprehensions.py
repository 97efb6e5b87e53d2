"""Evaluates comprehensions: computed where they only build a constant, otherwise only checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonScope
from engine.analysis.python.evaluate.targets import bind
from engine.analysis.python.evaluate.turns import turns
from engine.analysis.python.evaluate.values import PythonValue, derived, taint_of
from engine.analysis.python.loops.loops import turns_of
from engine.analysis.python.loops.resources import too_many
from engine.analysis.python.rules.resources import ENDLESS
from engine.models import Level

_MAX_ITEMS = 4096
_LAZY_TURNS = 10**7
_Pair = tuple[PythonValue | None, PythonValue | None]
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def comprehension(evaluator: Evaluator, node: Comprehension) -> PythonValue | None:
    """Return the elements as a constant, or what is known about any one of them."""
    outer = evaluator.scope
    first = evaluator.evaluate(node.generators[0].iter)
    if not isinstance(node, ast.GeneratorExp):
        _check_size(evaluator, node, first)
    evaluator.scope = PythonScope(outer)
    evaluator.loops.append(node)
    try:
        computed = _computed(evaluator, node, first)
        return computed if computed is not None else _looked_into(evaluator, node, first)
    finally:
        evaluator.loops.pop()
        evaluator.scope = outer


def _check_size(evaluator: Evaluator, node: Comprehension, first: PythonValue | None) -> None:
    """Report a list that is made of an endless iterator, or with very many iterations."""
    if first is not None and first.name == "endless":
        evaluator.report(ENDLESS, node, "Collects an endless iterator", severity=Level.HIGH)
    turns = turns_of(first)
    for generator in node.generators[1:] if turns else ():
        turns *= turns_of(evaluator.evaluate(generator.iter)) if isinstance(generator.iter, ast.Call) else 1
    too_many(evaluator, node, turns * 8)


def _looked_into(evaluator: Evaluator, node: Comprehension, first: PythonValue | None) -> PythonValue | None:
    endless = first is not None and first.name == "endless"
    found = [_element(evaluator, node) for _ in _bindings(evaluator, node, 0, first)]
    if isinstance(node, ast.GeneratorExp) and (endless or turns_of(first) >= _LAZY_TURNS):
        return _lazy(found[0][1], first)
    return _collected(found)


def _collected(found: list[_Pair]) -> PythonValue | None:
    """Return what holds the values found, by key where it is known; where it is not, any may be meant."""
    items: dict[Any, PythonValue | None] = {}
    for index, (key, value) in enumerate(found):
        named = key is not None and isinstance(key.const, str | int)
        if value is not None:
            items[key.const if named else ("any", index)] = value  # type: ignore[union-attr]
    if not items:
        return None
    collected = PythonValue(taint=taint_of(*items.values(), *(key for key, _ in found)))
    collected.items = items
    return collected


def _bindings(
    evaluator: Evaluator, node: Comprehension, index: int, source: PythonValue | None
) -> Iterator[None]:
    """Bind the targets to each known element, one after the other."""
    generator = node.generators[index]
    for turn in turns(evaluator, source):
        bind(evaluator, generator.target, turn)
        for test in generator.ifs:
            evaluator.evaluate(test)
        if index + 1 == len(node.generators):
            yield
        else:
            inner = evaluator.evaluate(node.generators[index + 1].iter)
            yield from _bindings(evaluator, node, index + 1, inner)


def _element(evaluator: Evaluator, node: Comprehension) -> _Pair:
    """Return the key and the value that the comprehension makes of what is bound; a list has no keys."""
    if isinstance(node, ast.DictComp):
        return evaluator.evaluate(node.key), evaluator.evaluate(node.value)
    return None, evaluator.evaluate(node.elt)


def _lazy(value: PythonValue | None, first: PythonValue | None) -> PythonValue:
    """Return a generator that is endless or very long."""
    found = PythonValue(name=first.name if first is not None else None, taint=taint_of(value))
    found.items = first.items if first is not None else None
    return found


def _computed(evaluator: Evaluator, node: Comprehension, source: PythonValue | None) -> PythonValue | None:
    """Comprehensions over constants whose elements are texts or numbers, within the budget."""
    if isinstance(node, ast.DictComp) or len(node.generators) != 1 or node.generators[0].ifs:
        return None
    if source is None or source.name or not isinstance(source.const, str | bytes | list | tuple):
        return None
    results = list(_elements(evaluator, node, node.generators[0], source.const))
    if len(results) != len(source.const):
        return None
    return derived([value.const for value in results], source, *results[:1])


def _elements(
    evaluator: Evaluator,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp,
    generator: ast.comprehension,
    source: Any,
) -> Iterator[PythonValue]:
    if len(source) > _MAX_ITEMS:
        return
    for entry in source:
        evaluator.steps -= 1
        if evaluator.steps <= 0:
            return
        bind(evaluator, generator.target, PythonValue(entry))
        value = evaluator.evaluate(node.elt)
        if value is None or not value.known:
            return
        yield value
