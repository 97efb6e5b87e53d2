"""Calls of globals, and of their members."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript.arguments import (
    Argument,
    any_shared,
    call_back,
    call_shared,
    pass_to_anybody,
)
from engine.analysis.verdict.javascript.kinds import (
    ANYTHING,
    ARRAY,
    CALLABLE,
    DATA,
    FUNCTION,
    LISTED,
    NUMBER,
    PLAIN,
    SHARED,
    TEXT,
)
from engine.analysis.verdict.javascript.names import (
    BORROWED,
    CALLED,
    CLEARING,
    MEMBERS,
    METHODS,
    PROCESS,
    TIMERS,
)
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_BORROWING = re.compile(r"(\w+)\.prototype\.(\w+)\.(?:call|apply)")
_PRINTING = frozenset({"console", "process"})


def is_listed(path: str) -> bool:
    """Return whether a path names a listed function."""
    root, _, name = path.partition(".")
    return path in PROCESS or name in MEMBERS.get(root, {}) or _lent(path) is not None


def _lent(path: str) -> str | None:
    """Return the global whose function `Array.prototype.slice.call` or `Math.max.apply` calls."""
    borrowed = _BORROWING.fullmatch(path)
    if borrowed and borrowed[1] in BORROWED and borrowed[2] in METHODS:
        return borrowed[1]
    root, _, rest = path.partition(".")
    name, _, how = rest.partition(".")
    return root if root in {"Math", "String"} and name in MEMBERS[root] and how in {"call", "apply"} else None


def called(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check a call of a global or of its member."""
    check = _GROUPS.get(path) or (_borrow if _lent(path) is not None else None)
    if check is not None:
        return check(walk, place, path, given)
    root, _, name = path.partition(".")
    if root == "Promise":
        walk.flow.mark("promises")
    if name in MEMBERS.get(root, {}):
        return _member(walk, place, path, given)
    return walk.flow.refuse(place, f"`{path}` is not on the list")


def _plain(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    if path == "RegExp":
        walk.flow.mark("unknown_names")
    pass_to_anybody(walk, given)
    return CALLED[path]


def _clear(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check that what is cleared is a timer: of another object, Node.js changes what it is linked to."""
    if any(one.is_spread or one.kind & ~(NUMBER | TEXT | ANYTHING) for one in given[:1]):
        walk.flow.refuse(place, f"`{path}` is given what may be no timer")
    return NUMBER


def _borrow(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check `Array.prototype.slice.call(x)`."""
    if any(one.kind & (FUNCTION | SHARED) for one in given[:1]) or any_shared(given):
        walk.flow.refuse(place, "this may change an object of the language")
    if any(one.kind & FUNCTION for one in given[1:]):
        walk.flow.mark("functions_have_methods")
    walk.flow.mark("unknown_names")
    walk.flow.spill()
    pass_to_anybody(walk, given)
    check_species(walk, place)
    return walk.flow.elements()


def check_species(walk: Walk, place: SyntaxPart) -> None:
    """Check that a method that is not known makes its result by no constructor that may return any object."""
    if walk.flow.extends_listed and walk.flow.wild_prototypes:
        walk.flow.refuse(place, "this may construct any object, and change it")


def check_filled(walk: Walk, place: SyntaxPart) -> None:
    """Check that `from` and `of`, which a class may inherit from the language, fill no object of it."""
    if walk.flow.extends_listed and walk.flow.heap & SHARED:
        walk.flow.refuse(place, "this may construct any object, and change it")


def _timer(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check that a timer calls no function that would see the timer itself as `this`."""
    for one in given[:1]:
        is_arrow = one.part.type == "arrow_function"
        known = one.part.type == "identifier" and not one.kind & (SHARED & ~LISTED)
        known = known and not (one.kind & LISTED and walk.flow.takes_changing)
        if not is_arrow and (walk.uses_this or not known):
            walk.flow.refuse(one.part, f"`{path}` calls this with an object of Node.js as `this`")
        if is_arrow and one.function is not None:
            call_back(walk, one, {-1: walk.flow.heap}, leaks=False)
    pass_to_anybody(walk, given[1:])
    return NUMBER if path == "queueMicrotask" else ANYTHING


def _process(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    if len(given) > 1 or any(one.is_spread or one.function or one.kind & ~DATA for one in given):
        walk.flow.refuse(place, f"`{path}` is given more than data")
    return PROCESS[path]


def _member(walk: Walk, place: SyntaxPart, path: str, given: list[Argument]) -> int:
    """Check a listed function of a global."""
    result = MEMBERS[path.partition(".")[0]][path.partition(".")[2]]
    check = _CHECKED.get(path)
    if check is not None:
        return check(walk, place, given) or result
    for one in given:
        if one.function is not None:
            walk.flow.escape(one.function)
    if path.partition(".")[0] not in {"console", "Math", "Number", "Date"}:
        pass_to_anybody(walk, given)
    return result


def _values(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    walk.flow.spill()
    pass_to_anybody(walk, given)
    return ARRAY


def _assigned(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    """Check `Object.assign`, which sets `__proto__` where a source has such a property."""
    if walk.flow.heap & CALLABLE:
        walk.flow.mark("wild_prototypes")
    if any(one.kind & (FUNCTION | SHARED) or one.is_spread for one in given[:1]):
        walk.flow.refuse(place, "this may change an object of the language")
    if walk.flow.setters:
        walk.flow.spill()
    pass_to_anybody(walk, given)
    return given[0].kind if given else NUMBER


def _created(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    if len(given) != 1 or given[0].is_spread or given[0].kind & ~DATA:
        walk.flow.refuse(place, "only plain objects may be prototypes")
    pass_to_anybody(walk, given)
    return 0


def _frozen(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    if any_shared(given):
        walk.flow.refuse(place, "this may change an object of the language")
    pass_to_anybody(walk, given)
    return given[0].kind if given else NUMBER


def _array_from(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    if len(given) > 2 or any(one.is_spread for one in given):
        walk.flow.refuse(place, "`this` of the callback may belong to the language")
    pass_to_anybody(walk, given[:1])
    for one in given[1:2]:
        call_shared(walk, one)
        call_back(walk, one, {0: walk.flow.elements(), 1: NUMBER}, leaks=True)
        if one.function is None:
            pass_to_anybody(walk, [one])
    return ARRAY


def _from_entries(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    pass_to_anybody(walk, given)
    walk.flow.store_unnamed(walk.flow.elements(), place)
    return PLAIN


def _stringified(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    walk.flow.mark("unknown_names")
    if _has_callback(given):
        for one in given:
            call_shared(walk, one)
        walk.flow.spill()
        pass_to_anybody(walk, given)
    return 0


def _parsed(walk: Walk, place: SyntaxPart, given: list[Argument]) -> int:
    """Check `JSON.parse`, whose result is what its callback returns."""
    _stringified(walk, place, given)
    if not _has_callback(given):
        return 0
    walk.flow.store_unnamed(walk.flow.elements(), place)
    return DATA | walk.flow.elements()


def _has_callback(given: list[Argument]) -> bool:
    return len(given) > 1 or any(one.is_spread for one in given)


_GROUPS: Mapping[str, Callable[[Walk, SyntaxPart, str, list[Argument]], int]] = {
    **dict.fromkeys(TIMERS, _timer),
    **dict.fromkeys(CLEARING, _clear),
    **dict.fromkeys(CALLED, _plain),
    **dict.fromkeys(PROCESS, _process),
}
_CHECKED: Mapping[str, Callable[[Walk, SyntaxPart, list[Argument]], int]] = {
    "Object.fromEntries": _from_entries,
    "Object.values": _values,
    "Object.entries": _values,
    "Object.assign": _assigned,
    "Object.create": _created,
    "Object.freeze": _frozen,
    "Array.from": _array_from,
    "JSON.parse": _parsed,
    "JSON.stringify": _stringified,
}


def constructed(walk: Walk, name: str, given: list[Argument]) -> int:
    """Check `new` of a global."""
    if name == "Promise":
        walk.flow.mark("promises")
    if name == "RegExp":
        walk.flow.mark("unknown_names")
    if name == "Promise" and given and given[0].function is not None:
        call_back(walk, given[0], {-1: LISTED}, leaks=False)
        return ARRAY
    for one in given if name == "Promise" else ():
        call_shared(walk, one)
    pass_to_anybody(walk, given)
    return ARRAY | (walk.flow.elements() if name == "Object" else 0)
