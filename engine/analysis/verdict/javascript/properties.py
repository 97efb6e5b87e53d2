"""Reading and writing properties: by a name that is spelled out, or by a key."""

from __future__ import annotations

from engine.analysis.verdict.javascript.kinds import (
    ANYTHING,
    CALLABLE,
    DATA,
    FUNCTION,
    LISTED,
    NUMBER,
    SHARED,
    TEXT,
)
from engine.analysis.verdict.javascript.names import (
    CHANGING,
    CONSTRUCTING,
    FREEZING,
    METHODS,
    NAMING,
    NEWER,
)
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_SIZES = frozenset({"length", "size", "lastIndex", "index"})


def spelled(key: SyntaxPart) -> str | None:
    """Return the name that a key spells out."""
    match key.type:
        case "property_identifier" | "identifier" | "private_property_identifier":
            return key.text
        case "shorthand_property_identifier" | "shorthand_property_identifier_pattern":
            return key.text
        case "string" if not key.parts:
            return key.text[1:-1]
        case "string" if len(key.parts) == 1 and key.parts[0].type == "string_fragment":
            return key.parts[0].text
        case _:
            return None


def names(key: SyntaxPart) -> bool:
    """Return whether a key between brackets is a name that is spelled out."""
    return key.type == "string" and _index(spelled(key))[0] is not None


def key_of(walk: Walk, key: SyntaxPart) -> tuple[str | None, int]:
    """Return the name of a property, or what its key may be."""
    if key.type == "computed_property_name":
        inner = key.parts[0]
        if inner.type == "string" and spelled(inner) is not None:
            return _index(spelled(inner))
        return None, _computed(walk, inner)
    if key.type == "number":
        return None, NUMBER
    if key.type == "string":
        return _index(spelled(key)) if spelled(key) is not None else (None, TEXT)
    if not key.text.isascii() or "\\" in key.text:
        walk.flow.refuse(key, "a name is not plain ASCII")
    return spelled(key), 0


def _index(name: str | None) -> tuple[str | None, int]:
    return (None, NUMBER) if name is not None and name.isdecimal() else (name, 0)


def _computed(walk: Walk, key: SyntaxPart) -> int:
    """Return what a key may be: no symbol that decides what the language makes, such as `Symbol.species`."""
    kind = walk.kind(key)
    if kind & ANYTHING:
        walk.flow.refuse(key, "this may be anything of the language, and is a key")
    return kind


def read_key(walk: Walk, key: SyntaxPart, owner: int) -> int:
    """Return what the property of a key of a pattern may be."""
    name, kind = key_of(walk, key)
    return read_at(walk, key, owner, kind) if name is None else read(walk, key, name, owner)


def read_at(walk: Walk, part: SyntaxPart, owner: int, key: int) -> int:
    """Return what a property may be whose name is not known."""
    taken(walk, part, owner)
    return walk.flow.inherited(owner, key)


def taken(walk: Walk, part: SyntaxPart, owner: int) -> None:
    """Check that something may be taken from a value: `f.caller.arguments` of a function has `require`."""
    if owner & ANYTHING:
        walk.flow.refuse(part, "this may be anything of the language, and something is taken from it")


def read(walk: Walk, part: SyntaxPart, name: str, owner: int) -> int:
    """Return what a property of this name may be, on a value that may be so much."""
    flow = walk.flow
    if owner & ANYTHING:
        return flow.refuse(part, "this may be any function of the language, or an object of Node.js")
    if name in NEWER and owner & SHARED:
        return flow.refuse(part, f"`{name}` of an object of the language is not on the list")
    if not flow.check_name(part, name):
        return ANYTHING
    if (name in CONSTRUCTING and owner & (FUNCTION | SHARED)) or (name in FREEZING and owner & SHARED):
        return flow.refuse(part, f"`{name}` of the language changes what it is given or constructs")
    if name in _SIZES:
        return flow.size(name)
    if name in {"groups", "match", "matchAll"}:
        flow.mark("unknown_names")
    if name in {"values", "entries"}:
        flow.spill()
    if name in NAMING:
        makes_names(walk, part)
    if name in CHANGING:
        flow.mark("takes_changing")
    return flow.property(name) | (LISTED if name in METHODS else 0)


def makes_names(walk: Walk, part: SyntaxPart) -> None:
    """Note that objects are made of pairs: whoever calls the function, all that is known may be in them."""
    walk.flow.spill()
    walk.flow.store(DATA, part)
    walk.flow.store_unnamed(walk.flow.elements(), part)


def copied(walk: Walk, part: SyntaxPart, owner: int) -> None:
    """Check that all properties of a value may be copied."""
    if owner & ANYTHING:
        walk.flow.refuse(part, "this may be an object of Node.js, and is copied")


def write(walk: Walk, target: SyntaxPart, kind: int) -> None:
    """Check an assignment to a property."""
    flow = walk.flow
    if target.type == "parenthesized_expression":
        write(walk, target.parts[0], kind)
        return
    if target.type not in {"member_expression", "subscript_expression"}:
        flow.refuse(target, "this cannot be assigned to in the provable subset")
        return
    owner = walk.kind(target.field("object"))
    if owner & SHARED or _is_arguments(target.field("object")):
        flow.refuse(target, "this may change an object of the language")
    if target.type == "subscript_expression":
        _write_key(walk, target, owner, kind)
        return
    name, _ = key_of(walk, target.field("property"))
    if name is not None and flow.check_name(target, name):
        flow.store_property(name, kind, target)
    if owner & FUNCTION and kind & CALLABLE:
        flow.mark("functions_have_methods")


def _write_key(walk: Walk, target: SyntaxPart, owner: int, kind: int) -> None:
    name, key = index_of(walk, target)
    flow = walk.flow
    if owner & FUNCTION and (kind & CALLABLE or (name is None and kind & ~(NUMBER | TEXT))):
        flow.mark("functions_have_methods")
    if name is None:
        flow.store_element(key, kind, target)
    elif flow.check_name(target, name):
        flow.store_property(name, kind, target)


def index_of(walk: Walk, part: SyntaxPart) -> tuple[str | None, int]:
    """Return the name or the kind of the key of `owner[key]`."""
    index = part.field("index")
    name = spelled(index) if index.type == "string" else None
    return _index(name) if name is not None else (None, _computed(walk, index))


def _is_arguments(part: SyntaxPart) -> bool:
    return part.type == "identifier" and part.text == "arguments"
