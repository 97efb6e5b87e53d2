"""Calls of globals, and of their members."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript.arguments import Argument, any_shared, call_back, pass_to_anybody
from engine.analysis.verdict.javascript.global_names import CALLED, MEMBERS, PROCESS
from engine.analysis.verdict.javascript.kinds import (
    ARRAY,
    DATA,
    NUMBER,
    PLAIN,
)
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_KEEPING_NOTHING = frozenset({"console", "Math", "Number", "Date"})


def is_listed(path: str) -> bool:
    """Return whether a path names a listed function."""
    root, _, name = path.partition(".")
    return path in PROCESS or path in CALLED or name in MEMBERS.get(root, {})


def called(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check a call of a global or of its member."""
    root, _, name = path.partition(".")
    if path in CALLED:
        return _plain(walk, path, given)
    if path in PROCESS:
        return _process(walk, place, path, given)
    if path in _CHECKED:
        return _CHECKED[path](walk, place, given)
    if name in MEMBERS.get(root, {}):
        return _member(walk, root, name, given)
    return walk.flow.refuse(place, f"`{path}` is not on the list")


def _plain(walk: Walk, path: str, given: list[Argument]) -> int:
    pass_to_anybody(walk, given)
    if path == "RegExp":  # it may return its argument
        walk.flow.mark_unknown_names()
        return CALLED[path] | walk.flow.heap
    return CALLED[path]


def _process(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    if len(given) > 1 or any(one.is_spread or one.function or one.kind & ~DATA for one in given):
        walk.flow.refuse(place, f"`{path}` is given more than data")
    return PROCESS[path]


def _member(walk: Walk, root: str, name: str, given: list[Argument]) -> int:
    """Check a listed function of a global that does no more than it returns."""
    if root not in _KEEPING_NOTHING:
        pass_to_anybody(walk, given)
    for one in given:
        if one.function is not None:
            walk.flow.escape(one.function)
    return MEMBERS[root][name]


# --- functions of `Object`, `Array` and `JSON` that change what they are given, or name its parts ---


def _values(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    walk.flow.spill()
    pass_to_anybody(walk, given)
    return ARRAY


def _frozen(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    if any_shared(given):
        walk.flow.refuse(place, "this may change an object of the language")
    pass_to_anybody(walk, given)
    return given[0].kind if given else NUMBER


def _from_entries(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    pass_to_anybody(walk, given)
    walk.flow.define_unnamed(walk.flow.heap, place)
    return PLAIN


def _array_from(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    if len(given) > 2 or any(one.is_spread for one in given):
        walk.flow.refuse(place, "`this` of the callback may belong to the language")
    pass_to_anybody(walk, given[:1])
    for one in given[1:2]:
        call_back(walk, one, {0: walk.flow.heap, 1: NUMBER}, leaks=True)
        if one.function is None:
            pass_to_anybody(walk, [one])
    return ARRAY


def _parsed(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    """Check `JSON.parse`, which gives names from a text to properties."""
    walk.flow.mark_unknown_names()
    if len(given) > 1 or any(one.is_spread for one in given):
        walk.flow.refuse(place, "a callback of `JSON.parse` may put anything under any name")
    return MEMBERS["JSON"]["parse"]


def _stringified(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    """Check `JSON.stringify`, which gives all that an object holds to its callback."""
    walk.flow.mark_unknown_names()
    if len(given) > 1 or any(one.is_spread for one in given):
        walk.flow.spill()
        pass_to_anybody(walk, given)
    for one in given:
        call_back(walk, one, {}, leaks=True)
    return MEMBERS["JSON"]["stringify"]


_CHECKED: Mapping[str, Callable[[Walk, SyntaxPart, list[Argument]], int]] = {
    "Object.fromEntries": _from_entries,
    "Object.values": _values,
    "Object.entries": _values,
    "Object.freeze": _frozen,
    "Array.from": _array_from,
    "JSON.parse": _parsed,
    "JSON.stringify": _stringified,
}


def constructed(walk: Walk, name: str, given: list[Argument]) -> int:
    """Check `new` of a global."""
    if name == "RegExp":
        walk.flow.mark_unknown_names()
    pass_to_anybody(walk, given)
    return ARRAY | (walk.flow.heap if name == "Object" else 0)
