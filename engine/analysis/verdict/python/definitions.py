"""Checks of imports, functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python.calls import check_decorator
from engine.analysis.verdict.python.context import Context, Step
from engine.analysis.verdict.python.data.imports import data_libraries
from engine.analysis.verdict.python.data.labels import makes_dictionary
from engine.analysis.verdict.python.dataclass_fields import KEYWORD_MARK, PLAIN_BASES, field_defaults
from engine.analysis.verdict.python.enum_members import has_member
from engine.analysis.verdict.python.expressions import check_type_arguments
from engine.analysis.verdict.python.library import MODULES
from engine.analysis.verdict.python.meanings import PARENTS, Use, member
from engine.analysis.verdict.python.scopes import NameScope, ScopeKind, parameters
from engine.analysis.verdict.python.slots import spelled_out_slots

CLASS_DECORATORS = frozenset(
    {"functools.total_ordering", "typing.final", "typing.runtime_checkable", "enum.unique"}
)
"""Decorators that return the class that they are given."""
METACLASSES = frozenset({"abc.ABCMeta"})


def check_import(context: Context, node: ast.Import, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check `import a, b.c as d`."""
    _refuse_in_class(context, node, scope)
    for alias in node.names:
        if alias.name not in MODULES and alias.name not in PARENTS:
            context.refuse(node, f"the module `{alias.name}` is not on the list")
    _refuse_hidden(context, node)
    return iter(())


def check_import_from(
    context: Context, node: ast.ImportFrom, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check `from a import b, c as d`."""
    _refuse_in_class(context, node, scope)
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


def _refuse_in_class(context: Context, node: ast.AST, scope: NameScope) -> None:
    if scope.kind is ScopeKind.CLASS:
        context.refuse(node, "an import in a class makes a module an attribute")


# --- functions ---


def check_function(
    context: Context, node: ast.FunctionDef, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a function: decorators, parameters, annotations and body."""
    _check_parameters(context, node.args)
    for number, decorator in enumerate(reversed(node.decorator_list)):
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        path = context.meanings.of_entry(called, scope).path if number else ""
        if path == "property":
            context.used["property of a decorated function"] = decorator
        elif path == "functools.wraps":
            context.refuse(decorator, "`wraps` gives an object the attributes of another one")
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
    if problem or entry.path == "dataclasses.dataclass":
        context.refuse(node, problem or "`dataclass` of a function")
    if call is not None:
        yield from ((arg, scope, False) for arg in (*call.args, *(word.value for word in call.keywords)))


# --- classes ---


def check_class(
    context: Context, node: ast.ClassDef, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a class: decorators, bases, keywords and body."""
    for number, decorator in enumerate(reversed(node.decorator_list)):
        _check_class_decorator(context, node, decorator, scope, innermost=number == 0)
    for base in node.bases:
        yield from _base(context, base, scope)
    _check_members(context, node, scope)
    context.slots.update(spelled_out_slots(node))
    for word in node.keywords:
        path = context.meanings.of_entry(word.value, scope).path
        if word.arg != "metaclass" or path not in METACLASSES:
            context.refuse(word, "a keyword of a class calls a hook")
    inner = context.scopes.by_node[node]
    if context.collides and context.libraries and "__eq__" in inner.names:
        context.refuse(node, "an own `__eq__` beside own hashes may be handed a class of the library")
    yield from ((statement, inner, False) for statement in node.body)


def _check_class_decorator(
    context: Context, node: ast.ClassDef, decorator: ast.expr, scope: NameScope, *, innermost: bool
) -> None:
    call = decorator if isinstance(decorator, ast.Call) else None
    entry = context.meanings.of_entry(call.func if call else decorator, scope)
    if entry.path in CLASS_DECORATORS and call is None:
        return
    problem: str | None = "a decorator may replace the class"
    if entry.path == "dataclasses.dataclass" and innermost:
        problem = check_decorator(entry.path, call)
        constant = all(isinstance(word.value, ast.Constant) for word in call.keywords) if call else True
        problem = problem or (None if constant else "`dataclass` with computed arguments")
        if all(_leaves_attributes(context, base, scope) for base in node.bases):
            context.field_defaults.update(field_defaults(node, context.names_of(KEYWORD_MARK)))
        if ast.get_docstring(node) is None:
            context.used["dataclass without docstring"] = node
    if problem:
        context.refuse(decorator, problem)


def _leaves_attributes(context: Context, base: ast.expr, scope: NameScope) -> bool:
    """Return whether a base class certainly leaves what the attributes of a class hold to the class."""
    entry = context.meanings.of_entry(base.value if isinstance(base, ast.Subscript) else base, scope)
    return entry.is_own_class or entry.path in PLAIN_BASES


def _check_members(context: Context, node: ast.ClassDef, scope: NameScope) -> None:
    """Refuse a class of constants that may have no member: its call makes classes."""
    meanings, inner = context.meanings, context.scopes.by_node[node]

    def is_auto(value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and meanings.of_entry(value.func, inner).path == "enum.auto"

    paths = {meanings.of_entry(base, scope).path for base in node.bases}
    if any(path.startswith("enum.") for path in paths) and not has_member(node, is_auto):
        context.refuse(node, "a class of constants that may have none makes classes when it is called")


def _base(context: Context, node: ast.expr, scope: NameScope) -> Iterator[Step]:
    if isinstance(node, ast.Subscript):
        check_type_arguments(context, node, scope)
        yield node.slice, scope, True
        node = node.value
        if context.meanings.of_entry(node, scope).path == "typing.Annotated":
            context.refuse(node, "a base class that `Annotated` holds may be any class")
    if isinstance(node, ast.Call):
        entry = context.meanings.of_entry(node.func, scope)
        if entry.path != "collections.namedtuple":
            context.refuse(node, "a base class that is computed")
        yield node, scope, False
        return
    entry = context.meanings.of_entry(node, scope)
    context.used[f"base {entry.path}"] = node
    if makes_dictionary(entry.path, context):
        context.refuse(node, f"`{entry.path}` makes dictionaries with computed keys beside pandas")
    elif entry.path in METACLASSES:
        context.refuse(node, "a metaclass decides what a class is")
    elif entry.use in {Use.VALUE, Use.CLASS} and (entry.path or entry.is_own_class):
        return
    else:
        context.refuse(node, entry.reason or "a base class that may be any value")
