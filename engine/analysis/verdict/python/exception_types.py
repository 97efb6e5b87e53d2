"""Types of exceptions: `__exit__` is handed one, which is no value of a proven program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

EXIT = "__exit__"
IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
"""The interpreter imports what an uncaught one names, to suggest a name, where it has a `name_from`."""
_CONDITIONS = (ast.If, ast.IfExp, ast.While, ast.Assert)
TESTS = frozenset({*_CONDITIONS, ast.UnaryOp})
"""Nodes that may ask of a name only whether it is true."""


def type_parameter(args: ast.arguments) -> str | None:
    """Return the name of the parameter of `__exit__` that is handed the type."""
    positional = [*args.posonlyargs, *args.args]
    if len(positional) > 1:
        return positional[1].arg
    return args.vararg.arg if args.vararg else None


def tested_names(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that a statement or an expression only asks whether they are true."""
    if isinstance(node, _CONDITIONS):
        yield from _in_test(node.test)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _in_test(node.operand)


def _in_test(node: ast.expr) -> Iterator[ast.Name]:
    match node:
        case ast.Name():
            yield node
        case ast.BoolOp(values=values):
            for value in values:
                yield from _in_test(value)


def is_handed_on(call: ast.Call, arg: ast.expr) -> ast.Name | None:
    """Return the name that an argument of a call of `__exit__` hands on as it is."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != EXIT:
        return None
    value = arg.value if isinstance(arg, ast.Starred) else arg
    return value if isinstance(value, ast.Name) else None
