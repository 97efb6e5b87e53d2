"""Evaluates operators, and expressions that return one of their parts."""

from __future__ import annotations

from tree_sitter import Node

from engine.analysis.javascript.arithmetic import arithmetic, sum_of
from engine.analysis.javascript.literals import Solver
from engine.analysis.javascript.values import NOTHING, JavaScriptScope, JavaScriptValue


def assigned(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """An assignment gives what it assigns."""
    return solver.value(node.child_by_field_name("right"), scope, depth)


def binary(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """Fold a chain of `+` from the left without recursing into it; `||` and `??` yield what is known."""
    chain: list[Node] = []
    at: Node | None = node
    while at is not None and at.type == "binary_expression" and operator_of(at) == "+" and len(chain) < 5000:
        right = at.child_by_field_name("right")
        if right is not None:
            chain.append(right)
        at = at.child_by_field_name("left")
    if chain:
        values = [
            solver.value(at, scope, depth),
            *(solver.value(part, scope, depth) for part in reversed(chain)),
        ]
        return sum_of(values)
    left = solver.value(node.child_by_field_name("left"), scope, depth)
    right_value = solver.value(node.child_by_field_name("right"), scope, depth)
    if operator_of(node) in {"||", "??", "&&"}:
        return next(
            (v for v in (left, right_value) if v.path and v.kind == "path"),
            left if left.known else right_value,
        )
    return arithmetic(operator_of(node), left, right_value)


def operator_of(node: Node) -> str:
    """Return the operator of an expression."""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def last(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """Parentheses, `await` and commas give the last of what is in them."""
    inner = [child for child in node.named_children if child.type != "comment"]
    return solver.value(inner[-1], scope, depth) if inner else NOTHING


def either(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A choice gives the branch that leads to a library."""

    values = [
        solver.value(node.child_by_field_name(name), scope, depth) for name in ("consequence", "alternative")
    ]
    return next((value for value in values if value.path), NOTHING)


def unary(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A negative number."""
    inner = solver.value(node.child_by_field_name("argument"), scope, depth)
    if inner.kind == "number" and solver.tree.of(node).startswith("-"):
        return JavaScriptValue("number", "-" + inner.text)
    return NOTHING
