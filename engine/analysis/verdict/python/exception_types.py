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


def handed_on(call: ast.Call) -> ast.Name | None:
    """Return the name that `super().__exit__(kind, …)` hands on first, as the language hands it.

    Any other `__exit__` may be that of a class, which would be handed the type as `self`.
    """
    match call:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Name(id="super"), args=[], keywords=[]), attr="__exit__"
            ),
            args=[ast.Starred(value=ast.Name() as name) | (ast.Name() as name), *_],
        ):
            return name
    return None


def binds_self_again(node: ast.AST) -> bool:
    """Return whether a method binds its first parameter anew, so that `super()` belongs to something else."""
    args = getattr(node, "args", None)
    first = [*args.posonlyargs, *args.args][:1] if isinstance(args, ast.arguments) else []
    names = {arg.arg for arg in first}
    return not names or any(_binds(part, names) for part in ast.walk(node) if part is not first[0])


def _binds(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    bound = (getattr(node, field, None) for field in ("name", "asname", "rest", "arg"))
    return any(one in names for one in bound) or not names.isdisjoint(getattr(node, "names", ()))
