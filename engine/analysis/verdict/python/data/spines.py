"""The spines of axes: they give what is stored in them as attributes.

numpy asks an object for `__array_interface__`: a dictionary that a program stored there under that name would
read and write any memory of the process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.verdict.python.context import Context

_NAME = "spines"
_VIEWS = frozenset({"items", "keys", "values"})


def check(context: Context, root: ast.AST) -> None:
    """Refuse all spines below a node that are more than read by a key, or gone through."""
    nodes = list(walk(root))
    read = {id(one) for node in nodes for one in _read(node)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == _NAME and id(node) not in read:
            context.refuse(node, "`spines` are more than read, and have what is stored in them as attributes")


def _read(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the spines of which a node reads one or all."""
    match node:
        case ast.Subscript(value=spines, ctx=ast.Load()):
            yield spines
        case ast.Call(func=ast.Attribute(value=spines, attr=name)) if name in _VIEWS:
            yield spines
