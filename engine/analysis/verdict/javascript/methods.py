"""Calls of methods of the language, which are found by their names: `x.push(y)`."""

from __future__ import annotations

from engine.analysis.verdict.javascript.arguments import Argument, any_shared, call_back, pass_to_anybody
from engine.analysis.verdict.javascript.functions import EVERY
from engine.analysis.verdict.javascript.kinds import ARRAY, DATA, NUMBER, PLAIN, SHARED, TEXT
from engine.analysis.verdict.javascript.property_names import (
    CALLBACKS,
    IGNORED,
    ITSELF,
    MATCHING,
    METHODS,
    NAMING,
    NEW_ARRAYS,
    NUMERIC,
    TEXTUAL,
    WITH_THIS,
)
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_KEEPS = (METHODS - NUMERIC - TEXTUAL) | {"push", "unshift"}
"""Methods that may keep what they are given."""
_REDUCING = frozenset({"reduce", "reduceRight"})
_REPLACING = frozenset({"replace", "replaceAll"})


def call_method(walk: Walk, callee: SyntaxPart, name: str, owner: int, given: list[Argument]) -> int:
    """Call a method of the language."""
    if owner & SHARED:
        walk.flow.spill()
    changed = given if owner & SHARED else given[:1] if name in MATCHING else []
    if any_shared(changed):
        walk.flow.refuse(callee, "this may change an object of the language")
    if name in CALLBACKS.keys() | MATCHING and any(one.is_spread for one in given[:-1]):
        walk.flow.refuse(callee, "it is not clear which argument is called back or changed")
    if owner & SHARED or name not in NAMING:
        note_names(walk, callee, name, given)
    for number in range(len(given)):
        _pass(walk, name, owner, given, number)
    return _result(walk, name, owner, given)


def note_names(walk: Walk, callee: SyntaxPart, name: str, given: list[Argument]) -> None:
    """Note that a method of the language may make objects with properties whose names are data."""
    if name in NAMING:
        walk.flow.spill()
        walk.flow.define_unnamed(walk.flow.heap, callee)
    if name in {"match", "matchAll"} and any(one.part.type != "regex" for one in given):
        walk.flow.mark_unknown_names()


def _pass(walk: Walk, name: str, owner: int, given: list[Argument], number: int) -> None:
    """Pass an argument to a method of the language."""
    one = given[number]
    if number == CALLBACKS.get(name, -1):
        if name in _REPLACING:
            walk.flow.mark_unknown_names()
        call_back(walk, one, _passed(walk, name, owner, given), leaks=name not in IGNORED)
    elif name in WITH_THIS and number == 1 and one.kind & ~DATA:
        walk.flow.refuse(one.part, "`this` of the callback may belong to the language")
    elif name in _KEEPS or one.function is not None:
        pass_to_anybody(walk, [one])


def _passed(walk: Walk, name: str, owner: int, given: list[Argument]) -> dict[int, int]:
    """Return what a method passes to its callback, by the number of the parameter."""
    heap = walk.flow.heap
    if name in _REDUCING:
        returned = given[0].function.returned if given[0].function is not None else heap
        first = given[1].kind if len(given) > 1 else heap
        return {0: first | returned, 1: heap, 2: NUMBER, 3: owner}
    if name in WITH_THIS:
        return {0: heap, 1: heap if name == "forEach" else NUMBER, 2: owner}
    if name in _REPLACING:
        return {EVERY: NUMBER | TEXT | PLAIN}
    return {EVERY: heap}


def _result(walk: Walk, name: str, owner: int, given: list[Argument]) -> int:
    if name in NUMERIC:
        return NUMBER
    if name in TEXTUAL:
        return TEXT
    if name in ITSELF:
        return owner
    if name in NEW_ARRAYS:
        return ARRAY | TEXT | NUMBER
    if name in _REDUCING and given and given[0].function is not None:
        return _passed(walk, name, owner, given)[0]
    return walk.flow.heap
