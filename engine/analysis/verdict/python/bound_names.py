"""Checks of the names that a program binds."""

from __future__ import annotations

import ast

from engine.analysis.verdict.python.attributes import GLOBALS
from engine.analysis.verdict.python.context import Context
from engine.analysis.verdict.python.scopes import bound


def check_bound_names(context: Context, node: ast.AST) -> None:
    """Refuse names of the interpreter that a statement binds."""
    for name, _ in bound(node):
        check_bound_name(context, node, name)


def check_bound_name(context: Context, node: ast.AST, name: str) -> None:
    """Refuse a name that means something to the interpreter where it is bound."""
    if not name.startswith("__"):
        return
    if name not in GLOBALS or isinstance(node, ast.Import | ast.ImportFrom):
        context.refuse(node, f"`{name}` decides what other lines mean")
