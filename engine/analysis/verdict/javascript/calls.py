"""Calls: of functions of the program, of methods, of globals, and of what cannot be `Function`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript import library
from engine.analysis.verdict.javascript.arguments import (
    Argument,
    any_shared,
    pass_to,
    pass_to_anybody,
    read_arguments,
)
from engine.analysis.verdict.javascript.keys import key_of
from engine.analysis.verdict.javascript.kinds import (
    ANYTHING,
    DATA,
    LISTED,
    NUMBER,
    SHARED,
)
from engine.analysis.verdict.javascript.methods import call_method, note_names
from engine.analysis.verdict.javascript.paths import path_of
from engine.analysis.verdict.javascript.properties import taken
from engine.analysis.verdict.javascript.property_names import CHANGING, METHODS, WITH_THIS
from engine.analysis.verdict.javascript.subset import callee_of
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_LITERALS = frozenset({"arrow_function", "function_expression"})


def call(walk: Walk, part: SyntaxPart) -> int:
    """Check a call, and return what it may give."""
    callee, arguments = callee_of(part), part.field("arguments")
    if callee.type in _LITERALS:
        walk.value(callee)
        return _own(walk, {callee.own_function()}, read_arguments(walk, arguments))
    return _CALLEES.get(callee.type, _computed)(walk, callee, arguments)


def _computed(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    return _unknown(walk, callee, walk.kind(callee), read_arguments(walk, arguments))


def _named(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    variable = callee.variable
    if variable is None:
        return library.called(walk, callee, callee.text, read_arguments(walk, arguments))
    if variable.functions and not variable.others:
        return _own(walk, variable.functions, read_arguments(walk, arguments))
    return _computed(walk, callee, arguments)


def _own(walk: Walk, functions: set[OwnFunction], given: list[Argument]) -> int:
    """Call functions of the program that are known."""
    found = NUMBER
    for function in functions:
        pass_to(walk, function, given)
        found |= function.returned
    return found


def _unknown(walk: Walk, place: SyntaxPart, kind: int, given: list[Argument]) -> int:
    """Call whatever a value is: a function of the program, or a listed one."""
    if kind & ANYTHING:
        walk.flow.refuse(place, "this may be any function of the language, and is called")
    if kind & LISTED:
        walk.flow.spill()
        if any_shared(given):
            walk.flow.refuse(place, "this may be a function of the language, and change an object of it")
    pass_to_anybody(walk, given)
    return walk.flow.heap


def _member(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    path = path_of(callee)
    if path is not None and (library.is_listed(path) or callee.field("object").type != "member_expression"):
        return library.called(walk, callee, path, read_arguments(walk, arguments))
    return _called_by_name(walk, callee, arguments)


def _called_by_name(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    """Call `owner.name(…)`."""
    name, _ = key_of(walk, callee.field("property"))
    owner = walk.kind(callee.field("object"))
    taken(walk, callee, owner)
    given = read_arguments(walk, arguments)
    if name is None or not walk.flow.check_name(callee.field("property"), name):
        return ANYTHING
    if name in CHANGING and owner & SHARED:
        walk.flow.refuse(callee, "this may change an object of the language")
    if name in METHODS and not walk.flow.is_own(name):
        return call_method(walk, callee, name, owner, given)
    return _method_of_program(walk, callee, name, owner, given)


def _method_of_program(walk: Walk, callee: SyntaxPart, name: str, owner: int, given: list[Argument]) -> int:
    """Call a function that the program has put there, or a method of the language of the same name."""
    if owner & SHARED:
        walk.flow.refuse(callee, "this may be any function of the language")
    found = _unknown(walk, callee, walk.flow.property(name), given)
    if name not in METHODS:
        return found
    walk.flow.spill()
    note_names(walk, callee, name, given)
    if any_shared(given) or (name in WITH_THIS and any(one.kind & ~DATA for one in given[1:2])):
        walk.flow.refuse(callee, "this may be a method of the language, and change an object of it")
    return found | owner


def construct(walk: Walk, part: SyntaxPart) -> int:
    """Check `new` of a global."""
    target, given = part.field("constructor"), read_arguments(walk, part.fields.get("arguments"))
    if target.variable is not None:
        return walk.flow.refuse(target, f"`{target.text}` is a name of the program, and is constructed")
    return library.constructed(walk, target.text, given)


_CALLEES: Mapping[str, Callable[[Walk, SyntaxPart, SyntaxPart], int]] = {
    "identifier": _named,
    "member_expression": _member,
}
HANDLERS = {"call_expression": call, "new_expression": construct}
