"""Functions that call themselves on every path."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import CONSUMPTION, MEDIUM, rule
from engine.analysis.javascript.model import Program
from engine.models import Violation

RECURSION = rule(
    "js-endless-recursion",
    "A function calls itself on every path",
    "resource",
    MEDIUM,
    attack="Fills the stack, or the memory where it waits between calls, until the program ends.",
    why="MEDIUM: the limits of the run end it.",
    fix="Add a condition that ends the recursion.",
    match=("function f() { f() }", "const f = () => f()", "function f(n) { const a = n + 1; return f(a) }"),
    not_match=(
        "function f(n) { return n ? f(n - 1) : 0 }",
        "function f(n) { if (!n) return; f(n - 1) }",
        "const f = (n) => n && f(n - 1)",
        "function f() { setTimeout(f, 10) }",
        "function f() { return { f() {} } }",
    ),
    cwe=674,
    owasp=CONSUMPTION,
)

_FUNCTIONS = frozenset({"arrow_function", "function_expression"})
_STRAIGHT = frozenset({
    "expression_statement", "return_statement", "lexical_declaration", "variable_declaration",
    "function_declaration", "class_declaration", "empty_statement", "comment",
})  # fmt: skip
"""Statements after which the next one is reached, or none."""
_MAYBE = frozenset({
    "arrow_function", "function_expression", "function_declaration", "class_declaration", "class",
    "generator_function", "generator_function_declaration", "ternary_expression", "method_definition",
    "optional_chain",
})  # fmt: skip
"""What is reached later, or not always."""
_MOST = 2000


def check(program: Program) -> Iterator[Violation]:
    """Yield the calls by which functions never end."""
    for name, body in _named(program):
        call = _endless(program, name, body)
        if call is not None:
            message = f"`{name}` calls itself on every path: {program.text(call)}"
            yield RECURSION.violation(program.tree.span(call), message)


def _named(program: Program) -> Iterator[tuple[str, Node]]:
    for node, _ in program.names.of("function_declaration", "variable_declarator", "function_expression"):
        function = node.child_by_field_name("value") if node.type == "variable_declarator" else node
        name = node.child_by_field_name("name")
        if function is None or name is None or (function is not node and function.type not in _FUNCTIONS):
            continue
        body = function.child_by_field_name("body")
        if body is not None:
            yield program.tree.of(name), body


def _endless(program: Program, name: str, body: Node) -> Node | None:
    statements = body.named_children if body.type == "statement_block" else [body]
    for statement in statements:
        if body.type == "statement_block" and statement.type not in _STRAIGHT:
            return None
        call = _call(program, name, statement)
        if call is not None or statement.type == "return_statement":
            return call
    return None


def _call(program: Program, name: str, statement: Node) -> Node | None:
    stack = [statement]
    for _ in range(_MOST):
        if not stack:
            return None
        node = stack.pop()
        if node.type in _MAYBE or _is_choice(node):
            continue
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is not None and callee.type == "identifier" and program.tree.of(callee) == name:
            return node
        stack.extend(node.named_children)
    return None


def _is_choice(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return operator is not None and operator.type in {"&&", "||", "??"}
