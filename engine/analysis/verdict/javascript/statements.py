"""Statements: each does no more than its parts."""

from __future__ import annotations

from engine.analysis.verdict.javascript.kinds import ANYTHING, NUMBER, TEXT
from engine.analysis.verdict.javascript.patterns import bind
from engine.analysis.verdict.javascript.properties import taken
from engine.analysis.verdict.javascript.tree import SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

_CONTINUES = "([`/+-*.,"
"""What may go on with the statement before, if that has no semicolon."""
_CLOSED = frozenset({"statement_block", "switch_body", "empty_statement"})
_COMPOUND = frozenset(
    {
        *("if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement"),
        *("try_statement", "catch_clause", "finally_clause", "switch_statement", "function_declaration"),
    }
)


def block(walk: Walk, part: SyntaxPart) -> int:
    """Check statements one after the other."""
    for before, after in zip(part.parts, part.parts[1:], strict=False):
        start = walk.flow.tree.slice(after.start, after.start + 1)
        if start in _CONTINUES and not _is_closed(before):
            walk.flow.refuse(after, "without a semicolon before it, this may go on with the line before")
    walk.kinds(part.parts)
    return 0


def _is_closed(part: SyntaxPart) -> bool:
    while part.type in _COMPOUND and part.parts:
        part = part.parts[-1]
    return part.type in _CLOSED or ";" in part.words


def parts(walk: Walk, part: SyntaxPart) -> int:
    """Check the parts of a statement."""
    walk.kinds(part.parts)
    return 0


def declaration(walk: Walk, part: SyntaxPart) -> int:
    """Check what a declaration gives to its names."""
    for declarator in part.parts:
        if declarator.type != "variable_declarator":
            walk.kind(declarator)
        elif "value" in declarator.fields:
            name = declarator.field("name")
            bind(walk, name, *walk.value(declarator.field("value"), name))
        else:
            bind(walk, declarator.field("name"), NUMBER)
    return 0


def loop_over(walk: Walk, part: SyntaxPart) -> int:
    """Check `for (x of y)` and `for (x in y)`."""
    if "value" in part.fields:
        walk.flow.refuse(part.field("value"), "a value before `in` is not in the provable subset")
    taken(walk, part.field("right"), walk.kind(part.field("right")))
    bind(walk, part.field("left"), TEXT if part.text == "in" else walk.flow.heap)
    walk.kind(part.field("body"))
    return 0


def caught(walk: Walk, part: SyntaxPart) -> int:
    """Check a handler: it gets what the program throws, or an error of the language."""
    if "parameter" in part.fields:
        bind(walk, part.field("parameter"), walk.flow.heap)
    walk.kind(part.field("body"))
    return 0


def thrown(walk: Walk, part: SyntaxPart) -> int:
    """Check `throw`."""
    walk.flow.store(walk.kinds(part.parts), part)
    return 0


def returned(walk: Walk, part: SyntaxPart) -> int:
    """Check `return`."""
    if part.parts and "\n" in walk.flow.tree.slice(part.start, part.parts[0].start):
        walk.flow.refuse(part, "this may end before the line does")
    leave(walk, walk.kinds(part.parts), part)
    return 0


def check_start(walk: Walk, part: SyntaxPart) -> None:
    """Check that Node.js does not read a block where the grammar reads an object."""
    if walk.flow.tree.slice(part.start, part.start + 1) == "{":
        walk.flow.refuse(part, "it is not clear that this is an object")


def leave(walk: Walk, kind: int, part: SyntaxPart) -> None:
    """Let the function that the walk is in return a value."""
    function, flow = walk.function, walk.flow
    if function is None:
        return
    if function.leaks:
        flow.store(kind, part)
    elif kind & ANYTHING and function.escaped:
        flow.refuse(part, "this may be any function of the language, and is returned")
    if kind & ~function.returned:
        function.returned |= kind
        flow.changed = True


HANDLERS = {
    **dict.fromkeys(("program", "statement_block", "switch_body", "switch_case", "switch_default"), block),
    **dict.fromkeys(
        (
            *("expression_statement", "if_statement", "else_clause", "while_statement", "do_statement"),
            *("for_statement", "try_statement", "finally_clause", "break_statement", "continue_statement"),
            *("empty_statement", "switch_statement"),
        ),
        parts,
    ),
    "lexical_declaration": declaration,
    "variable_declaration": declaration,
    "for_in_statement": loop_over,
    "catch_clause": caught,
    "throw_statement": thrown,
    "return_statement": returned,
}
