"""Calls: of functions of the program, of methods, and of anything else that cannot be `Function`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript import library, properties
from engine.analysis.verdict.javascript.arguments import (
    Argument,
    any_shared,
    call_back,
    call_shared,
    pass_to,
    pass_to_anybody,
    read_arguments,
)
from engine.analysis.verdict.javascript.kinds import (
    ACCESSOR,
    ANYTHING,
    ARRAY,
    CALLABLE,
    DATA,
    FUNCTION,
    INHERITED,
    LISTED,
    NATIVE,
    NUMBER,
    PLAIN,
    SHARED,
    TEXT,
)
from engine.analysis.verdict.javascript.names import (
    CALLBACKS,
    CHANGING,
    CONSTRUCTED,
    CONSTRUCTING,
    CONSTRUCTING_ANOTHER,
    IGNORED,
    ITSELF,
    MATCHING,
    METHODS,
    NAMING,
    NEW_ARRAYS,
    NEWER,
    NUMERIC,
    SPECIES,
    TEXTUAL,
    WITH_THIS,
)
from engine.analysis.verdict.javascript.paths import path_of
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_FORWARDING = frozenset({"call", "apply", "bind"})
_LITERALS = frozenset({"arrow_function", "function_expression"})
_OWNED = frozenset({"member_expression", "subscript_expression"})
"""What is called with `this`."""
_KEEPS = (METHODS - NUMERIC - TEXTUAL) | {"push", "unshift"}
"""Methods that may keep what they are given."""


def call(walk: Walk, part: SyntaxPart) -> int:
    """Check a call, and return what it may give."""
    callee, arguments = part.field("function"), part.fields.get("arguments")
    if arguments is None or arguments.type != "arguments":
        return walk.flow.refuse(part, "a tagged template is not in the provable subset")
    while callee.type == "parenthesized_expression" and len(callee.parts) == 1:
        callee = callee.parts[0]
    if callee.type in _LITERALS and callee.function is not None:
        walk.value(callee)
        return _own(walk, {callee.function}, read_arguments(walk, arguments))
    check = _CALLEES.get(callee.type, _computed)
    return check(walk, callee, arguments)


def _super(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    """Call the base class, and return `this`: what its constructor returns."""
    pass_to_anybody(walk, read_arguments(walk, arguments))
    return walk.flow.heap | PLAIN


def _subscript(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    if properties.names(callee.field("index")):
        return _called_by_name(walk, callee, callee.field("index"), arguments)
    return _computed(walk, callee, arguments)


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
    found = 0
    for function in functions:
        pass_to(walk, function, given)
        words = function.part.words
        made = ARRAY | PLAIN if "async" in words or "*" in words else 0
        found |= made or function.returned | NUMBER
    return found


def _unknown(walk: Walk, place: SyntaxPart, kind: int, given: list[Argument]) -> int:
    """Call whatever a value is."""
    if kind & ANYTHING:
        walk.flow.refuse(place, "this may be any function of the language, and is called")
    if kind & SHARED:
        walk.flow.spill()
        library.check_species(walk, place)
        if kind & ACCESSOR and place.type in _OWNED and any(one.kind & CALLABLE for one in given):
            walk.flow.mark("wild_prototypes")
        if any(one.kind & FUNCTION for one in given[1:]):
            walk.flow.mark("functions_have_methods")
        if kind & (INHERITED | NATIVE):
            walk.flow.call_inherited(place)
        if any_shared(given):
            walk.flow.refuse(place, "this may be a function of the language, and change an object of it")
    pass_to_anybody(walk, given)
    made = kind & (INHERITED | NATIVE)
    return walk.flow.heap | made | (ACCESSOR if made else 0) | (DATA if kind & SHARED else 0)


def _member(walk: Walk, callee: SyntaxPart, arguments: SyntaxPart) -> int:
    path = path_of(callee)
    if path is not None and (library.is_listed(path) or callee.field("object").type != "member_expression"):
        return library.called(walk, callee, path, read_arguments(walk, arguments))
    return _called_by_name(walk, callee, callee.field("property"), arguments)


def _called_by_name(walk: Walk, callee: SyntaxPart, key: SyntaxPart, arguments: SyntaxPart) -> int:
    """Call `owner.name(…)` or `owner['name'](…)`."""
    name, _ = properties.key_of(walk, key)
    if name is None:
        return walk.flow.refuse(callee, "this is not in the provable subset")
    owner = walk.kind(callee.field("object"))
    properties.taken(walk, callee, owner)
    if name in _FORWARDING:
        return _forwarded(walk, callee, owner, read_arguments(walk, arguments))
    if not walk.flow.check_name(key, name):
        read_arguments(walk, arguments)
        return ANYTHING
    if name in CHANGING and owner & (NATIVE | LISTED | ANYTHING):
        walk.flow.refuse(callee, "this may change an object of the language")
    if name in CONSTRUCTING and owner & (FUNCTION | INHERITED):
        library.check_filled(walk, callee)
    given = read_arguments(walk, arguments)
    if name not in METHODS or walk.flow.is_own(name):
        return _method_of_program(walk, callee, name, owner, given)
    return _method(walk, callee, name, owner, given)


def _forwarded(walk: Walk, callee: SyntaxPart, owner: int, given: list[Argument]) -> int:
    """Check `f.call(this, …)`, `f.apply(this, …)` and `f.bind(this, …)`."""
    first = given[0].kind if given else NUMBER
    if owner & SHARED or first & (FUNCTION | SHARED) or any_shared(given):
        walk.flow.refuse(callee, "this may call any function of the language with any `this`")
    pass_to_anybody(walk, given)
    return walk.flow.heap | FUNCTION


def _method_of_program(walk: Walk, callee: SyntaxPart, name: str, owner: int, given: list[Argument]) -> int:
    if owner & ANYTHING or (name in NEWER and owner & SHARED):
        walk.flow.refuse(callee, "this may be any function of the language")
    kind = walk.flow.property(name)
    found = _unknown(walk, callee, kind, given)
    if name not in METHODS:
        return found | owner if kind & SHARED else found
    walk.flow.spill()
    _note_names(walk, callee, name, given)
    if any_shared(given) or (name in WITH_THIS and any(one.kind & ~DATA for one in given[1:2])):
        walk.flow.refuse(callee, "this may be a method of the language, and change an object of it")
    return found | owner | walk.flow.elements() | _made(walk, callee, name)


def _method(walk: Walk, callee: SyntaxPart, name: str, owner: int, given: list[Argument]) -> int:
    """Call a method of the language."""
    if owner & SHARED:
        walk.flow.spill()
        if any_shared(given):
            walk.flow.refuse(callee, "this may change an object of the language")
    if owner & SHARED or name not in NAMING:
        _note_names(walk, callee, name, given)
    if name in MATCHING and any_shared(given[:1]):
        walk.flow.refuse(callee, "this may change an object of the language")
    for number in range(len(given)):
        _pass(walk, name, owner, given, number)
    return _result(walk, name, owner, given) | _made(walk, callee, name)


def _note_names(walk: Walk, callee: SyntaxPart, name: str, given: list[Argument]) -> None:
    """Note that a method of the language may make objects with properties whose names are data."""
    if name in NAMING:
        properties.makes_names(walk, callee)
    if name in {"match", "matchAll"} and any(one.part.type != "regex" for one in given):
        walk.flow.mark("unknown_names")


def _pass(walk: Walk, name: str, owner: int, given: list[Argument], number: int) -> None:
    """Pass an argument to a method of the language."""
    one = given[number]
    if number == CALLBACKS.get(name, -1):
        _call_back(walk, name, owner, given, one)
    elif name in WITH_THIS and number == 1 and one.kind & ~DATA:
        walk.flow.refuse(one.part, "`this` of the callback may belong to the language")
    elif name in _KEEPS or one.function is not None:
        if name == "then":
            call_shared(walk, one)
        pass_to_anybody(walk, [one])


def _made(walk: Walk, place: SyntaxPart, name: str) -> int:
    """Return what a method may make by a `constructor` that the program has put there."""
    if not walk.flow.extends_listed:
        return 0
    if name in SPECIES | CONSTRUCTING_ANOTHER:
        library.check_species(walk, place)
    return walk.flow.elements() if name in SPECIES else 0


def _call_back(walk: Walk, name: str, owner: int, given: list[Argument], one: Argument) -> None:
    if name in {"replace", "replaceAll"}:
        walk.flow.mark("unknown_names")
    call_shared(walk, one)
    if one.kind & SHARED:
        library.check_species(walk, one.part)
    if one.function is not None:
        call_back(walk, one, _passed(walk, name, owner, given), leaks=name not in IGNORED)


def _passed(walk: Walk, name: str, owner: int, given: list[Argument]) -> dict[int, int]:
    """Return what a method passes to its callback."""
    heap, elements = walk.flow.heap, walk.flow.elements()
    if name in {"reduce", "reduceRight"}:
        returned = given[0].function.returned if given[0].function is not None else heap
        first = given[1].kind if len(given) > 1 else elements
        return {0: first | returned, 1: elements, 2: NUMBER, 3: owner}
    if name in WITH_THIS:
        return {0: elements, 1: heap if name == "forEach" else NUMBER, 2: owner}
    if name in {"replace", "replaceAll"}:
        return {-1: NUMBER | TEXT | PLAIN}
    return {-1: elements}


def _result(walk: Walk, name: str, owner: int, given: list[Argument]) -> int:
    if name in NUMERIC:
        return NUMBER
    if name in TEXTUAL:
        return TEXT
    if name in ITSELF:
        return owner
    if name in NEW_ARRAYS:
        return ARRAY | TEXT | NUMBER
    if name in {"reduce", "reduceRight"} and given and given[0].function is not None:
        return _passed(walk, name, owner, given)[0]
    return walk.flow.elements()


def construct(walk: Walk, part: SyntaxPart) -> int:
    """Check `new`."""
    target, given = part.field("constructor"), read_arguments(walk, part.fields.get("arguments"))
    if target.type == "identifier" and target.variable is None:
        if target.text not in CONSTRUCTED:
            return walk.flow.refuse(target, f"`{target.text}` is not on the list")
        return library.constructed(walk, target.text, given)
    kind = walk.kind(target)
    if kind & SHARED:
        walk.flow.refuse(target, "this may be any class of the language")
    pass_to_anybody(walk, given)
    return walk.flow.heap | PLAIN


_CALLEES: Mapping[str, Callable[[Walk, SyntaxPart, SyntaxPart], int]] = {
    "identifier": _named,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "super": _super,
}
HANDLERS = {"call_expression": call, "new_expression": construct}
