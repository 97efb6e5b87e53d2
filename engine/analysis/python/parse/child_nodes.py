"""The children of syntax nodes, without those that only name an operator or a context."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_ONLY_NAMES = frozenset({"ctx", "op", "ops"})
"""Fields that hold `ast.Load`, `ast.Add` and their like, which have neither parts nor names."""
_ONLY_TEXT = frozenset(
    {"id", "attr", "kind", "arg", "asname", "module", "level", "type_comment", "is_async", "name", "rest"}
    | {"conversion", "simple", "kwd_attrs"}
)
"""Fields that hold texts and numbers in every kind of node."""
_HAVE_NONE = frozenset({ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal})
"""Nodes whose other fields hold no nodes."""
_FIELDS = {
    kind: () if kind in _HAVE_NONE else tuple(f for f in kind._fields if f not in _ONLY_NAMES | _ONLY_TEXT)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_HAVE_GAPS = frozenset({ast.Dict, ast.arguments})
"""Nodes whose lists hold None where a part is left out."""


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node in the order of the code."""
    kind = type(node)
    held = node.__dict__
    found: list[Any] = []
    for field in _FIELDS[kind]:
        value = held.get(field)
        if type(value) is list:
            found += value
        elif value is not None:
            found.append(value)
    return [part for part in found if part is not None] if kind in _HAVE_GAPS else found


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, in no order."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += child_nodes(node)


def breadth_first(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, level by level."""
    nodes = [tree]
    for node in nodes:
        yield node
        nodes += child_nodes(node)


def evaluated_in_class(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what of the body of a class runs in its own scope: of functions all but their bodies."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack += [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
        else:
            stack += child_nodes(node)
