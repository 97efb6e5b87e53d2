"""The children of syntax nodes, without those that only name an operator or a context."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_ONLY_NAMES = frozenset({"ctx", "op", "ops"})
"""Fields that hold `ast.Load`, `ast.Add` and their like, which have neither parts nor names."""
_ONLY_TEXT = frozenset({"id", "attr", "kind", "arg", "asname", "module", "level", "type_comment", "is_async"})
"""Fields that hold texts and numbers in every kind of node."""
_FIELDS = {
    kind: tuple(field for field in kind._fields if field not in _ONLY_NAMES | _ONLY_TEXT)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and kind is not ast.Constant
} | {ast.Constant: ()}


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node in the order of the code."""
    fields = _FIELDS[type(node)]
    if not fields:
        return []
    held = node.__dict__
    found: list[ast.AST] = []
    for field in fields:
        value = held.get(field)
        if value.__class__ is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, in no order."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += child_nodes(node)


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
