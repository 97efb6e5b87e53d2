"""Objects and arrays that are written out."""

from __future__ import annotations

from engine.analysis.verdict.javascript.keys import key_of
from engine.analysis.verdict.javascript.kinds import ARRAY, NUMBER, PLAIN
from engine.analysis.verdict.javascript.properties import copied, taken
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk


def object_(walk: Walk, part: SyntaxPart) -> int:
    """Check an object."""
    for one in part.parts:
        match one.type:
            case "pair":
                _put(walk, one, one.field("key"), one.field("value"))
            case "shorthand_property_identifier":
                _put(walk, one, one, one)
            case "spread_element":
                copied(walk, one, walk.kind(one.parts[0]))
            case _:
                walk.flow.refuse(one, "this is not in the provable subset")
    return PLAIN


def _put(walk: Walk, place: SyntaxPart, key: SyntaxPart, value: SyntaxPart) -> None:
    name, of_key = key_of(walk, key)
    kind = walk.kind(value)
    if name is None and key.type == "string" and of_key & ~NUMBER:  # its escapes may spell `__proto__`
        walk.flow.store_unnamed(kind, place)
    elif name is None:
        walk.flow.define_unnamed(kind, place)
    elif walk.flow.check_name(place, name):
        walk.flow.store_property(name, kind, place)


def array(walk: Walk, part: SyntaxPart) -> int:
    """Check an array."""
    for one in part.parts:
        walk.flow.store(walk.kind(one), one)
    return ARRAY


def spread(walk: Walk, part: SyntaxPart) -> int:
    """Return what the elements of `...x` may be."""
    taken(walk, part, walk.kind(part.parts[0]))
    return walk.flow.heap


HANDLERS = {"object": object_, "array": array, "spread_element": spread}
