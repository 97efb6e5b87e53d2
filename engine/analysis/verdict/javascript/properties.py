"""Reading and writing properties: by a name that is spelled out, or by a key."""

from __future__ import annotations

from engine.analysis.verdict.javascript.global_names import FIELDS, MEMBERS, UNHELD
from engine.analysis.verdict.javascript.keys import index_of, key_of
from engine.analysis.verdict.javascript.kinds import ANYTHING, ARRAY, FUNCTION, LISTED, NUMBER, SHARED
from engine.analysis.verdict.javascript.paths import path_of
from engine.analysis.verdict.javascript.property_names import METHODS, NEWER
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_SIZES = frozenset({"length", "size", "lastIndex", "index"})


def member(walk: Walk, part: SyntaxPart) -> int:
    """Return what `owner.name` may be."""
    path = path_of(part)
    if path is not None:
        found = _of_global(path)
        if found is not None:
            return found
        if part.field("object").type != "member_expression":
            return walk.flow.refuse(part, f"`{path}` is not on the list")
    owner = walk.kind(part.field("object"))
    name, _ = key_of(walk, part.field("property"))
    return read(walk, part, name or "", owner)


def _of_global(path: str) -> int | None:
    root, _, rest = path.partition(".")
    if rest in FIELDS.get(root, {}):
        return FIELDS[root][rest]
    if rest in MEMBERS.get(root, {}) and path not in UNHELD:
        return LISTED
    return ARRAY if path == "process.argv" else None


def subscript(walk: Walk, part: SyntaxPart) -> int:
    """Return what `owner[key]` may be."""
    owner = walk.kind(part.field("object"))
    name, key = index_of(walk, part.field("index"))
    return read(walk, part, name, owner) if name is not None else _read_at(walk, part, owner, key)


def read_key(walk: Walk, key: SyntaxPart, owner: int) -> int:
    """Return what the property of a key of a pattern may be."""
    name, kind = key_of(walk, key)
    return read(walk, key, name, owner) if name is not None else _read_at(walk, key, owner, kind)


def _read_at(walk: Walk, part: SyntaxPart, owner: int, key: int) -> int:
    """Return what a property may be whose name is not known."""
    taken(walk, part, owner)
    return walk.flow.element(key)


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
    if name in METHODS and owner & (FUNCTION | SHARED):
        return flow.refuse(part, f"`{name}` of what may belong to the language is only called")
    if name in _SIZES:
        return flow.size(name)
    if name == "groups":
        flow.mark_unknown_names()
    return flow.property(name) | (ANYTHING if name in METHODS | NEWER else 0)


def copied(walk: Walk, part: SyntaxPart, owner: int) -> None:
    """Check that all properties of a value may be copied."""
    if owner & ANYTHING:
        walk.flow.refuse(part, "this may be an object of Node.js, and is copied")


def write(walk: Walk, target: SyntaxPart, kind: int) -> None:
    """Check an assignment to a property, `owner.name` or `owner[key]`."""
    owner = walk.kind(target.field("object"))
    if owner & SHARED:
        walk.flow.refuse(target, "this may change an object of the language")
    if target.type == "subscript_expression":
        name, key = index_of(walk, target.field("index"))
    else:
        name, key = key_of(walk, target.field("property"))
    if name is None and owner & FUNCTION and key & ~NUMBER:
        walk.flow.refuse(target, "this may change what a function inherits")
    if name is None:
        walk.flow.store_element(key, kind, target)
    elif walk.flow.check_name(target, name):
        walk.flow.store_property(name, kind, target)


HANDLERS = {"member_expression": member, "subscript_expression": subscript}
