"""What operators make of values."""

from __future__ import annotations

from engine.analysis.verdict.javascript.global_names import CONSTRUCTED
from engine.analysis.verdict.javascript.kinds import ANYTHING, NUMBER, TEXT
from engine.analysis.verdict.javascript.patterns import bind
from engine.analysis.verdict.javascript.properties import write
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_JOINED = frozenset({"&&", "||", "??"})


def unary(walk: Walk, part: SyntaxPart) -> int:
    """Return what an operator makes of one value."""
    argument = part.field("argument")
    if part.text == "typeof":
        if argument.type != "identifier" or argument.variable is not None:
            walk.kind(argument)
        return TEXT
    if part.text == "delete":
        if argument.type in {"member_expression", "subscript_expression"}:
            write(walk, argument, 0)
        else:
            walk.flow.refuse(part, "only properties can be deleted")
        return NUMBER
    walk.kind(argument)
    return NUMBER


def binary(walk: Walk, part: SyntaxPart) -> int:
    """Return what an operator makes of two values."""
    left, right = part.field("left"), part.field("right")
    if part.text == "instanceof":
        return _instance(walk, left, right)
    if part.text == "/" and walk.flow.tree.slice(left.end - 1, left.end) == "}":
        walk.flow.refuse(part, "it is not clear that this is a division")
    one, other = walk.kind(left), walk.kind(right)
    if part.text in _JOINED:
        return one | other
    return _sum(one, other) if part.text == "+" else NUMBER


def _sum(one: int, other: int) -> int:
    return NUMBER | TEXT if (one | other) & ~NUMBER else NUMBER


def _instance(walk: Walk, left: SyntaxPart, right: SyntaxPart) -> int:
    walk.kind(left)
    is_global = right.type == "identifier" and right.variable is None
    if not (is_global and right.text in CONSTRUCTED | {"Function"}) and walk.kind(right) & ANYTHING:
        walk.flow.refuse(right, "this may be any function of the language")
    return NUMBER


def ternary(walk: Walk, part: SyntaxPart) -> int:
    """Return what either branch may be."""
    walk.kind(part.field("condition"))
    return walk.kind(part.field("consequence")) | walk.kind(part.field("alternative"))


def augmented(walk: Walk, part: SyntaxPart) -> int:
    """Check `left += right` and the like."""
    left = part.field("left")
    before = walk.kind(left)
    kind = walk.kind(part.field("right"))
    operator = part.text.removesuffix("=")
    if operator in _JOINED:
        kind |= before
    else:
        kind = _sum(before, kind) if operator == "+" else NUMBER
    bind(walk, left, kind)
    return kind


def update(walk: Walk, part: SyntaxPart) -> int:
    """Check `x++` and the like."""
    argument = part.field("argument")
    if "\n" in walk.flow.tree.slice(argument.end, part.end):
        walk.flow.refuse(part, "this operator may belong to what follows")
    while argument.type == "parenthesized_expression":
        argument = argument.parts[0]
    bind(walk, argument, NUMBER)
    return NUMBER


HANDLERS = {
    "unary_expression": unary,
    "binary_expression": binary,
    "ternary_expression": ternary,
    "augmented_assignment_expression": augmented,
    "update_expression": update,
}
