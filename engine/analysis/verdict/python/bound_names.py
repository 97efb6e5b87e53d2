"""Checks of the names that a program binds."""

from __future__ import annotations

import ast

from engine.analysis.verdict.python.attributes import DEFINED, GLOBALS, NAMES_ATTRIBUTES, is_dunder
from engine.analysis.verdict.python.context import Context
from engine.analysis.verdict.python.data.attributes import passes_for_library
from engine.analysis.verdict.python.exception_types import EXIT
from engine.analysis.verdict.python.scopes import NameScope, ScopeKind, bound
from engine.analysis.verdict.python.slots import SLOTS


def check_bound_names(context: Context, node: ast.AST, scope: NameScope) -> None:
    """Refuse names of the interpreter that are assigned, and private names that a class would change."""
    for name, _ in bound(node):
        check_bound_name(context, node, name, scope)


def check_bound_name(context: Context, node: ast.AST, name: str, scope: NameScope) -> None:
    """Refuse a name that means something to the interpreter or to the library where it is bound."""
    if scope.kind is ScopeKind.CLASS:
        _check_member(context, node, name)
    if not name.startswith("__"):
        return
    if name == SLOTS and node not in context.slots:
        context.refuse(node, "`__slots__` names attributes that this code does not spell out")
    in_class = scope.kind is ScopeKind.CLASS
    allowed = name in GLOBALS or (in_class and (name in DEFINED or not is_dunder(name)))
    if not allowed or isinstance(node, ast.Import | ast.ImportFrom):
        context.refuse(node, f"`{name}` decides what other lines mean")


def _check_member(context: Context, node: ast.AST, name: str) -> None:
    """Refuse a name that a class may not bind."""
    if passes_for_library(name, context.libraries):
        context.refuse(node, f"`{name}` makes an object pass for one of the library")
    if name in NAMES_ATTRIBUTES:
        context.refuse(node, f"`{name}` names what the library acts on")
    if name == EXIT and not (isinstance(node, ast.FunctionDef) and not node.decorator_list):
        context.refuse(node, "`__exit__` that may be any function is handed the type of an exception")
    if name == "_ignore_":
        context.refuse(node, "`_ignore_` takes members away")
