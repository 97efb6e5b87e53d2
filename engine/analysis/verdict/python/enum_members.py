"""Which classes of constants certainly have a member.

The class of an `Enum` without members makes a new class when it is called, whose attributes are named by
values: `E("New", {"__reduce_ex__": f})`. One with members only looks a member up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from engine.analysis.python.parse.child_nodes import evaluated_in_class

_ELSEWHERE = (ast.Global, ast.Nonlocal)
_CONTAINERS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.JoinedStr)


def has_member(node: ast.ClassDef, is_auto: Callable[[ast.expr], bool]) -> bool:
    """Return whether the body of a class certainly makes a member, whatever its expressions give."""
    parts = (part for statement in node.body for part in evaluated_in_class(statement))
    if any(isinstance(part, _ELSEWHERE) for part in parts):
        return False
    return any(_is_member(statement, is_auto) for statement in node.body)


def _is_member(statement: ast.stmt, is_auto: Callable[[ast.expr], bool]) -> bool:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return not name.startswith("_") and (_is_plain(value) or is_auto(value))
    return False


def _is_plain(value: ast.expr) -> bool:
    """Return whether a value is data, not a descriptor, which would be no member."""
    match value:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_plain(left) and _is_plain(right)
        case ast.UnaryOp(operand=operand):
            return _is_plain(operand)
    return isinstance(value, _CONTAINERS)
