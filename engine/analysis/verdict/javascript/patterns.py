"""What the names of a pattern hold."""

from __future__ import annotations

from engine.analysis.verdict.javascript.global_names import UNDECLARABLE
from engine.analysis.verdict.javascript.kinds import ARRAY, PLAIN
from engine.analysis.verdict.javascript.properties import copied, read, read_key, taken, write
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern", "assignment_pattern"})


def bind(walk: Walk, pattern: SyntaxPart, kind: int, function: OwnFunction | None = None) -> None:
    """Let the names of a pattern hold their parts of a value."""
    if function is not None and pattern.type not in _NAMES:
        walk.flow.escape(function)
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            _bind_name(walk, pattern, kind, function)
        case "array_pattern":
            taken(walk, pattern, kind)
            for part in pattern.parts:
                bind(walk, part, ARRAY if part.type == "rest_pattern" else walk.flow.heap)
        case "object_pattern":
            for part in pattern.parts:
                _bind_property(walk, part, kind)
        case "assignment_pattern":
            bind(walk, pattern.field("left"), kind, function)
            bind(walk, pattern.field("left"), *walk.value(pattern.field("right"), pattern.field("left")))
        case "rest_pattern":
            bind(walk, pattern.parts[0], kind)
        case "member_expression" | "subscript_expression":
            write(walk, pattern, kind)
        case _:
            walk.flow.refuse(pattern, "this pattern is not in the provable subset")


def _bind_name(walk: Walk, pattern: SyntaxPart, kind: int, function: OwnFunction | None) -> None:
    if pattern.variable is None or pattern.text in UNDECLARABLE or not pattern.text.isascii():
        walk.flow.refuse(pattern, f"`{pattern.text}` may not be bound")
    elif "\\" in pattern.text:
        walk.flow.refuse(pattern, "a name is not plain ASCII")
    else:
        walk.flow.assign(pattern.variable, kind, function)


def _bind_property(walk: Walk, part: SyntaxPart, kind: int) -> None:
    match part.type:
        case "shorthand_property_identifier_pattern":
            bind(walk, part, read(walk, part, part.text, kind))
        case "object_assignment_pattern":
            _bind_property(walk, part.field("left"), kind)
            bind(walk, part.field("left"), *walk.value(part.field("right"), part.field("left")))
        case "pair_pattern":
            bind(walk, part.field("value"), read_key(walk, part.field("key"), kind))
        case "rest_pattern":
            copied(walk, part, kind)
            bind(walk, part.parts[0], PLAIN)
        case _:
            walk.flow.refuse(part, "this pattern is not in the provable subset")
