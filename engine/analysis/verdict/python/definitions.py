"""Checks of imports and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python.calls import check_decorator
from engine.analysis.verdict.python.context import Context, Step
from engine.analysis.verdict.python.data.imports import data_libraries
from engine.analysis.verdict.python.library import MODULES
from engine.analysis.verdict.python.meanings import PARENTS, Use, member
from engine.analysis.verdict.python.scopes import NameScope, parameters


def check_import(context: Context, node: ast.Import, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check `import a, b.c as d`."""
    for alias in node.names:
        if alias.name not in MODULES and alias.name not in PARENTS:
            context.refuse(node, f"the module `{alias.name}` is not on the list")
    _refuse_hidden(context, node)
    return iter(())


def check_import_from(
    context: Context, node: ast.ImportFrom, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check `from a import b, c as d`."""
    if node.level or node.module is None:
        context.refuse(node, "a relative import")
        return iter(())
    _refuse_hidden(context, node)
    for alias in node.names:
        if f"{node.module}.{alias.name}" in MODULES:
            continue
        meaning = member(node.module, alias.name)
        if meaning.use is Use.UNKNOWN:
            context.refuse(node, meaning.reason)
    return iter(())


def _refuse_hidden(context: Context, node: ast.Import | ast.ImportFrom) -> None:
    """Refuse a library that only an example imports: the attributes were not chosen for its objects."""
    if not data_libraries([node]) <= context.libraries:
        context.refuse(node, "an example imports a library that the code itself does not")


# --- functions ---


def check_function(
    context: Context, node: ast.FunctionDef, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a function: decorators, parameters, annotations and body."""
    _check_parameters(context, node.args)
    for decorator in node.decorator_list:
        yield from _decorator(context, decorator, scope)
    yield node.args, scope, False
    yield from context.annotation(node.returns, scope)
    inner = context.scopes.by_node[node]
    yield from ((statement, inner, False) for statement in node.body)


def check_lambda(context: Context, node: ast.Lambda, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check a lambda."""
    _check_parameters(context, node.args)
    yield from context.steps(node, scope)


def _check_parameters(context: Context, args: ast.arguments) -> None:
    for arg in parameters(args):
        if arg.arg.startswith("__"):
            context.refuse(arg, f"`{arg.arg}` decides what other lines mean")


def _decorator(context: Context, node: ast.expr, scope: NameScope) -> Iterator[Step]:
    call = node if isinstance(node, ast.Call) else None
    entry = context.meanings.of_entry(call.func if call else node, scope)
    if entry.use is not Use.CALL:
        yield node, scope, False
        return
    context.used[entry.path] = node
    problem = check_decorator(entry.path, call)
    if problem:
        context.refuse(node, problem)
    if call is not None:
        yield from ((arg, scope, False) for arg in (*call.args, *(word.value for word in call.keywords)))
