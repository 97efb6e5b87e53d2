"""Keys of properties: a name that is spelled out, or what the key may be."""

from __future__ import annotations

from engine.analysis.verdict.javascript.kinds import ANYTHING, NUMBER, TEXT
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk


def key_of(walk: Walk, key: SyntaxPart) -> tuple[str | None, int]:
    """Return the name of a property, or what its key may be."""
    if key.type == "computed_property_name":
        return index_of(walk, key.parts[0])
    if key.type == "number":
        return None, NUMBER
    if key.type == "string":
        name = _spelled(key)
        return _index(name) if name is not None else (None, TEXT)
    if not key.text.isascii() or "\\" in key.text:
        walk.flow.refuse(key, "a name is not plain ASCII")
    return key.text, 0


def index_of(walk: Walk, index: SyntaxPart) -> tuple[str | None, int]:
    """Return the name or the kind of a key between brackets."""
    name = _spelled(index) if index.type == "string" else None
    if name is not None:
        return _index(name)
    kind = walk.kind(index)
    if kind & ANYTHING:
        walk.flow.refuse(index, "this may be anything of the language, and is a key")
    return None, kind


def _spelled(string: SyntaxPart) -> str | None:
    """Return the text of a string; nothing where it has escapes."""
    if not string.parts:
        return ""
    if len(string.parts) == 1 and string.parts[0].type == "string_fragment":
        return string.parts[0].text
    return None


def _index(name: str) -> tuple[str | None, int]:
    return (None, NUMBER) if name.isdecimal() else (name, 0)
