"""Functions and classes."""

from __future__ import annotations

from engine.analysis.verdict.javascript import properties
from engine.analysis.verdict.javascript.kinds import ARRAY, CALLABLE, FUNCTION, PLAIN, SHARED
from engine.analysis.verdict.javascript.names import CONSTRUCTED
from engine.analysis.verdict.javascript.paths import path_of
from engine.analysis.verdict.javascript.patterns import bind
from engine.analysis.verdict.javascript.statements import block, check_start, leave
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_MODIFIERS = frozenset({"static", "get", "set", "async", "accessor"})
EVERY = -1
"""In what callers pass: for every parameter."""


def define(walk: Walk, part: SyntaxPart) -> int:
    """Check a function where it is written."""
    function = part.own_function()
    before = walk.function, walk.strict, walk.this, walk.has_arguments
    body = part.field("body")
    walk.strict = walk.strict or is_strict(body)
    if part.type not in {"arrow_function", "method_definition"}:
        walk.this = walk.own_this()
    walk.has_arguments |= part.type != "arrow_function"
    if "async" in part.words:
        walk.flow.mark("promises")
    if "async" in part.words or "*" in part.words:
        function.leaks = True
    _bind_parameters(walk, part, function)
    walk.function = function
    if body.type == "statement_block":
        block(walk, body)
    else:
        check_start(walk, body)
        leave(walk, walk.kind(body), body)
    walk.function, walk.strict, walk.this, walk.has_arguments = before
    return FUNCTION


def _bind_parameters(walk: Walk, part: SyntaxPart, function: OwnFunction) -> None:
    anybody = walk.flow.uses_arguments or _called_by_anybody(function)
    given = function.passed.get(EVERY, 0) | (walk.flow.heap if anybody else 0)
    for number, pattern in enumerate(parameters(part)):
        if pattern.type == "rest_pattern":
            walk.flow.store(given | _passed_from(function, number), pattern)
            bind(walk, pattern, ARRAY)
        else:
            bind(walk, pattern, given | function.passed.get(number, 0))


def _passed_from(function: OwnFunction, first: int) -> int:
    """Return what callers that are known pass to the parameters from a number on."""
    found = 0
    for number, kind in function.passed.items():
        found |= kind if number >= first else 0
    return found


def _called_by_anybody(function: OwnFunction) -> bool:
    """Return whether callers are not known; a function that is never called may be given anything."""
    return function.escaped or function.is_never_called()


def parameters(part: SyntaxPart) -> list[SyntaxPart]:
    """Return the parameters of a function."""
    if "parameter" in part.fields:
        return [part.fields["parameter"]]
    return part.field("parameters").parts


def is_strict(body: SyntaxPart) -> bool:
    """Return whether a body begins with `'use strict'`."""
    first = body.parts[0] if body.parts else None
    if first is None or first.type != "expression_statement":
        return False
    return first.parts[0].type == "string" and properties.spelled(first.parts[0]) == "use strict"


def declare(walk: Walk, part: SyntaxPart) -> int:
    """Check a declared function."""
    return named(walk, part)


def express(walk: Walk, part: SyntaxPart) -> int:
    """Check a function that is used as a value."""
    walk.flow.escape(part.own_function())
    return named(walk, part)


def named(walk: Walk, part: SyntaxPart) -> int:
    """Check a function that may call itself by a name of its own."""
    name, function = part.fields.get("name"), part.function
    if name is not None and name.variable is not None and function is not None:
        function.variables.add(name.variable)
        bind(walk, name, FUNCTION, function)
    return define(walk, part)


def is_protocol(name: SyntaxPart) -> bool:
    """Return whether a method is one that the language calls to iterate."""
    inner = name.parts[0] if name.type == "computed_property_name" else name
    return path_of(inner) in {"Symbol.iterator", "Symbol.asyncIterator"}


# --- members of classes and objects ---


def method(walk: Walk, part: SyntaxPart, this: int | None, *, in_class: bool = False) -> None:
    """Check a method, a getter or a setter, and give it to its name."""
    flow, function = walk.flow, part.own_function()
    key = part.field("name")
    name, _ = properties.key_of(walk, key)
    if in_class and name is None and key.type == "string":
        flow.refuse(key, "a method whose name is spelled with escapes may be the constructor")
    before, walk.this = walk.this, this
    flow.escape(function)
    constructs = in_class and name == "constructor" and key.type != "computed_property_name"
    function.constructs = constructs
    define(walk, part)
    walk.this = before
    if name is None:
        if not is_protocol(part.field("name")):
            flow.store_unnamed(FUNCTION, part)
        if {"get", "set"} & set(part.words):
            flow.refuse(part, "a getter or setter whose name is not spelled out")
        return
    if constructs:
        return
    flow.check_name(part.field("name"), name)
    if "set" in part.words:
        flow.setters.add(name)
        flow.store_property(name, flow.properties.get(name, 0), part)
    flow.store_property(name, flow.heap if "get" in part.words else FUNCTION, part)


def class_(walk: Walk, part: SyntaxPart) -> int:
    """Check a class."""
    if "name" in part.fields:
        bind(walk, part.fields["name"], FUNCTION)
    strict, walk.strict = walk.strict, True
    bases = [one.parts[0] for one in part.parts if one.type == "class_heritage"]
    for base in bases:
        _check_base(walk, base)
    for member in part.field("body").parts:
        _member(walk, member)
        if bases and member.type == "field_definition" and "static" not in member.words:
            _check_owner(walk, member)
    walk.strict = strict
    return FUNCTION


def _check_base(walk: Walk, base: SyntaxPart) -> None:
    if (
        base.type == "identifier"
        and base.variable is None
        and base.text in CONSTRUCTED - {"Object", "Promise"}
    ):
        walk.flow.mark("extends_listed")
        if base.text == "RegExp":
            walk.flow.mark("unknown_names")
        return
    if walk.kind(base) & ~FUNCTION:
        walk.flow.refuse(base, "the base class is neither a class of this program nor on the list")


def _check_owner(walk: Walk, field: SyntaxPart) -> None:
    """Check that a field belongs to an object of the program, whatever the base class returns."""
    if walk.flow.heap & SHARED:
        walk.flow.refuse(field, "the base class may return an object of the language, which gets this field")


def _member(walk: Walk, member: SyntaxPart) -> None:
    is_static = "static" in member.words
    this = walk.receiver() | (FUNCTION if is_static else 0)
    if member.type == "method_definition":
        method(walk, member, this, in_class=True)
    elif member.type == "field_definition":
        _field(walk, member, this)
    else:
        walk.flow.refuse(member, f"`{member.type.replace('_', ' ')}` is not in the provable subset")


def _field(walk: Walk, member: SyntaxPart, this: int) -> None:
    name, _ = properties.key_of(walk, member.field("property"))
    if name in _MODIFIERS and "value" not in member.fields:
        walk.flow.refuse(member, f"`{name}` may belong to what follows")
    before, function, walk.this, walk.function = walk.this, walk.function, this, None
    kind = walk.kind(member.field("value")) if "value" in member.fields else 0
    walk.this, walk.function = before, function
    if "static" in member.words and kind & FUNCTION:
        walk.flow.mark("functions_have_methods")
    if name is None:
        walk.flow.store_unnamed(kind, member)
    elif walk.flow.check_name(member, name):
        walk.flow.store_property(name, kind, member)


def object_(walk: Walk, part: SyntaxPart) -> int:
    """Check an object that is written out."""
    for one in part.parts:
        match one.type:
            case "pair":
                _pair(walk, one)
            case "method_definition":
                method(walk, one, walk.own_this())
            case "shorthand_property_identifier":
                if walk.flow.check_name(one, one.text):
                    walk.flow.store_property(one.text, walk.kind(one), one)
            case "spread_element":
                properties.copied(walk, one, walk.kind(one.parts[0]))
            case _:
                walk.flow.refuse(one, "this is not in the provable subset")
    return PLAIN


def _pair(walk: Walk, pair: SyntaxPart) -> None:
    name, _ = properties.key_of(walk, pair.field("key"))
    kind = walk.kind(pair.field("value"))
    if name is None:
        walk.flow.store_unnamed(kind, pair)
        if pair.field("key").type == "string" and kind & CALLABLE:  # `"\x5f_proto__": f`
            walk.flow.mark("wild_prototypes")
    elif walk.flow.check_name(pair, name):
        walk.flow.store_property(name, kind, pair)


HANDLERS = {
    "define": named,
    "function_declaration": declare,
    "generator_function_declaration": declare,
    "function_expression": express,
    "generator_function": express,
    "arrow_function": express,
    "class_declaration": class_,
    "class": class_,
    "object": object_,
}
