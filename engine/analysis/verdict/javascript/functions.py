"""Functions of the program."""

from __future__ import annotations

from engine.analysis.verdict.javascript.kinds import ARRAY, FUNCTION
from engine.analysis.verdict.javascript.patterns import bind
from engine.analysis.verdict.javascript.statements import block, check_start, leave
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk

EVERY = -1
"""In what callers pass: for every parameter."""


def parameters(part: SyntaxPart) -> list[SyntaxPart]:
    """Return the parameters of a function."""
    if "parameter" in part.fields:
        return [part.fields["parameter"]]
    return part.field("parameters").parts


def express(walk: Walk, part: SyntaxPart) -> int:
    """Check a function that is used as a value."""
    walk.flow.escape(part.own_function())
    return define(walk, part)


def define(walk: Walk, part: SyntaxPart) -> int:
    """Check a function where it is written; it may call itself by a name of its own."""
    name, function = part.fields.get("name"), part.own_function()
    if name is not None and name.variable is not None:
        function.variables.add(name.variable)
        bind(walk, name, FUNCTION, function)
    _bind_parameters(walk, part, function)
    before, walk.function = walk.function, function
    _check_body(walk, part.field("body"))
    walk.function = before
    return FUNCTION


def _check_body(walk: Walk, body: SyntaxPart) -> None:
    if body.type == "statement_block":
        block(walk, body)
    else:
        check_start(walk, body)
        leave(walk, walk.kind(body), body)


def _bind_parameters(walk: Walk, part: SyntaxPart, function: OwnFunction) -> None:
    given = function.passed.get(EVERY, 0) | (walk.flow.heap if _called_by_anybody(function) else 0)
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


HANDLERS = {
    "function_declaration": define,
    "function_expression": express,
    "arrow_function": express,
}
