"""Texts that pandas takes for types of elements: `datetime64[ns, dateutil//etc/passwd]` opens that file.

It does so where a slice ends at one (by `loc`, and by plain brackets where an index has levels or intervals),
and where truth values are divided by one or raised to it.
"""

from __future__ import annotations

import ast
from collections.abc import Set

from engine.analysis.python.word_lists import words

TAKES_TYPES = frozenset(
    words(
        """divmod numpy.divide numpy.divmod numpy.floor_divide numpy.power numpy.searchsorted
            numpy.true_divide operator.floordiv operator.ifloordiv operator.ipow operator.itruediv
            operator.pow operator.truediv pow slice"""
    )
)
"""Functions by which pandas may take a text for a type of elements."""
_NUMBERS = frozenset({"float", "int", "len"})


def problem(node: ast.AST, bound: Set[str], *, bracketed: bool) -> str | None:
    """Return why pandas may take a text for a type at a node; the program gives `bound` names a meaning."""
    match node:
        case ast.Attribute(attr="loc") if not bracketed:
            return "`loc` is used without brackets"
        case ast.Subscript(slice=key) if not is_fixed(key, bound):
            return "a slice beside pandas ends at what may be a computed label"
        case (
            ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv() | ast.Pow(), right=right)
            | ast.AugAssign(target=left, op=ast.Div() | ast.FloorDiv() | ast.Pow(), value=right)
        ) if not _divides(left, right, bound):
            return "what is divided beside pandas, or divides, may be a text"
    return None


def is_fixed(key: ast.expr, bound: Set[str]) -> bool:
    """Return whether no slice among keys ends at what may be a text that names a type."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    ends = [end for part in slices for end in (part.lower, part.upper, part.step)]
    return all(end is None or _is_no_type(end, bound) for end in ends)


def _is_no_type(end: ast.expr, bound: Set[str]) -> bool:
    if isinstance(end, ast.Constant) and isinstance(end.value, str):
        return "[" not in end.value
    return _is_no_text(end, bound)


def _divides(left: ast.expr, right: ast.expr, bound: Set[str]) -> bool:
    """Return whether no truth values of pandas meet a text: one side is a number, or none is a text."""
    sides = (left, right)
    return any(_is_number(side, bound) for side in sides) or all(_is_no_text(side, bound) for side in sides)


def _is_number(node: ast.expr, bound: Set[str]) -> bool:
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, str | bytes)
        case ast.Call(func=ast.Name(id=name)):
            return name in _NUMBERS - bound
    return False


def _is_no_text(node: ast.expr, bound: Set[str]) -> bool:
    """Return whether an expression is a number, or fails where it would be a text."""
    match node:
        case ast.UnaryOp(op=operator):
            return not isinstance(operator, ast.UAdd)
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Pow()):
            return True
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _is_no_text(left, bound) or _is_no_text(right, bound)
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[_, _, *_] as args, keywords=[]):
            return name not in bound and all(_is_no_text(arg, bound) for arg in args)
    return _is_number(node, bound)
