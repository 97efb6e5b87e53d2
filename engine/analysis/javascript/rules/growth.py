"""Strings and lists that double in every iteration of a loop: forty iterations are a terabyte."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.model import Program
from engine.analysis.javascript.operators import operator_of
from engine.analysis.javascript.rules.resources import HUGE
from engine.analysis.javascript.values import Binding, JavaScriptScope
from engine.models import Level, Violation

_GROWING = frozenset({"string", "template_string", "array"})
_FEW = 20
"""Turns after which what doubled is not yet large."""
_LIMIT = re.compile(r"<=?\s*(\d+)\s*;?\s*$")


def check(program: Program) -> Iterator[Violation]:
    """Yield what doubles in a loop of many or unknown iterations."""
    assigned = program.names.of("augmented_assignment_expression", "assignment_expression")
    doubled = [(node, scope) for node, scope in assigned if _doubles(program, node)]
    if not doubled:
        return
    loops = [loop for loop, _ in program.names.of("while_statement", "do_statement", "for_statement")]
    sequences: dict[int, bool] = {}
    for node, scope, loop in _within(doubled, loops):
        left = node.child_by_field_name("left")
        binding = scope.find(program.tree.of(left)) if left is not None else None
        if id(binding) not in sequences:
            sequences[id(binding)] = _is_sequence(binding)
        if sequences[id(binding)] and not _is_short(program, loop):
            yield HUGE.violation(program.tree.span(node), program.text(node), severity=Level.MEDIUM)


def _within(
    nodes: list[tuple[Node, JavaScriptScope]], loops: list[Node]
) -> Iterator[tuple[Node, JavaScriptScope, Node]]:
    """Yield each node that lies in a loop, with the innermost one around it: one pass over both."""
    ahead = deque(sorted(loops, key=lambda loop: loop.start_byte))
    around: list[Node] = []
    for node, scope in sorted(nodes, key=lambda pair: pair[0].start_byte):
        while ahead and ahead[0].start_byte <= node.start_byte:
            around.append(ahead.popleft())
        while around and around[-1].end_byte <= node.start_byte:
            around.pop()
        if around:
            yield node, scope, around[-1]


def _doubles(program: Program, node: Node) -> bool:
    """Whether an assignment is `x += x` or `x = x + x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier":
        return False
    name = program.tree.of(left)
    if node.type == "augmented_assignment_expression":
        return operator_of(node) == "+=" and program.tree.of(right) == name
    sides = [right.child_by_field_name(side) for side in ("left", "right")]
    added = right.type == "binary_expression" and operator_of(right) == "+"
    return added and all(side is not None and program.tree.of(side) == name for side in sides)


def _is_sequence(binding: Binding | None) -> bool:
    """Whether a name was given a text or a list anywhere: a number may double as it likes."""
    values = [definition.value for definition in binding.definitions] if binding is not None else []
    return any(value is not None and value.type in _GROWING for value in values)


def _is_short(program: Program, loop: Node) -> bool:
    """Return whether the loop ends after a few iterations."""
    condition = loop.child_by_field_name("condition")
    limit = _LIMIT.search(program.tree.of(condition).strip("(); \n\t")) if condition is not None else None
    return limit is not None and int(limit[1][:9]) < _FEW
