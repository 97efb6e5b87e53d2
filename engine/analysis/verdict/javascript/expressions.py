"""Expressions but calls: what each may be."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis.verdict.javascript.global_names import CONSTANTS, VALUES
from engine.analysis.verdict.javascript.keys import key_of
from engine.analysis.verdict.javascript.kinds import ARRAY, LISTED, NUMBER, TEXT
from engine.analysis.verdict.javascript.paths import path_of
from engine.analysis.verdict.javascript.patterns import bind
from engine.analysis.verdict.javascript.statements import check_start
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_CONSTANTS = {
    **dict.fromkeys(("number", "true", "false", "null", "undefined"), NUMBER),
    "string": TEXT,
}
_REGEX_AFTER = "(,=:[!&|?{;"
_REGEX_AFTER_WORDS = ("return", "typeof", "case", "of", "in")


def constant(kind: int) -> Callable[[Walk, SyntaxPart], int]:
    """Return a handler for what has no parts."""
    return lambda walk, part: kind


def read_name(walk: Walk, part: SyntaxPart) -> int:
    """Return what a name may be."""
    if part.variable is None:
        return _global(walk, part)
    if not part.text.isascii() or "\\" in part.text:
        return walk.flow.refuse(part, f"`{part.text}` is not a plain name")
    for function in part.variable.functions:
        walk.flow.escape(function)
    return part.variable.kind


def _global(walk: Walk, part: SyntaxPart) -> int:
    if part.text in CONSTANTS:
        return CONSTANTS[part.text]
    if part.text in VALUES:
        return LISTED
    return walk.flow.refuse(part, f"`{part.text}` is not on the list")


def template(walk: Walk, part: SyntaxPart) -> int:
    """Check the expressions in a template."""
    for one in part.parts:
        if one.type == "template_substitution":
            walk.kinds(one.parts)
    return TEXT


def regex(walk: Walk, part: SyntaxPart) -> int:
    """Check that nobody can read a division instead."""
    tree = walk.flow.tree
    before = tree.slice(max(0, part.start - 400), part.start)
    head = before.rstrip()
    line = before[head.rfind("\n") + 1 :]
    clear = head.endswith(tuple(_REGEX_AFTER)) or head.endswith(_REGEX_AFTER_WORDS) or "=>" in head[-2:]
    if any(one.type == "regex_pattern" and "(?<" in one.text for one in part.parts):
        walk.flow.mark_unknown_names()
    if not clear or "//" in line or "*/" in line:
        walk.flow.refuse(part, "it is not clear that this is a regular expression")
    return ARRAY


def parenthesized(walk: Walk, part: SyntaxPart) -> int:
    """Return what is in parentheses."""
    return walk.kind(part.parts[0]) if len(part.parts) == 1 else walk.kinds(part.parts)


def sequence(walk: Walk, part: SyntaxPart) -> int:
    """Return what the last of several expressions may be."""
    kinds = [walk.kind(one) for one in part.parts]
    return kinds[-1]


def assignment(walk: Walk, part: SyntaxPart) -> int:
    """Check `left = right` whose value is used."""
    function = part.field("right").function
    if function is not None:
        walk.flow.escape(function)
    return assign(walk, part)


def assign(walk: Walk, part: SyntaxPart) -> int:
    """Check `left = right`."""
    if _is_export(part.field("left")):
        return _export(walk, part.field("left").field("property"), walk.kind(part.field("right")))
    kind, function = walk.value(part.field("right"), part.field("left"))
    bind(walk, part.field("left"), kind, function)
    return kind


def statement(walk: Walk, part: SyntaxPart) -> int:
    """Check an expression whose value nobody uses."""
    one = part.parts[0]
    check_start(walk, one)
    return assign(walk, one) if one.type == "assignment_expression" else walk.kind(one)


def _export(walk: Walk, name: SyntaxPart, kind: int) -> int:
    """Export a value."""
    spelled, _ = key_of(walk, name)
    if spelled is not None and walk.flow.check_name(name, spelled):
        walk.flow.store_property(spelled, kind, name)
    return kind


def _is_export(left: SyntaxPart) -> bool:
    path = path_of(left) if left.type == "member_expression" else None
    return path is not None and (
        path == "module.exports" or (path.count(".") == 1 and path.startswith("exports."))
    )


HANDLERS = {
    **{kind: constant(value) for kind, value in _CONSTANTS.items()},
    "expression_statement": statement,
    "identifier": read_name,
    "shorthand_property_identifier": read_name,
    "template_string": template,
    "regex": regex,
    "parenthesized_expression": parenthesized,
    "sequence_expression": sequence,
    "assignment_expression": assignment,
}
