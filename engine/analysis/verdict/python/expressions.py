"""Checks of expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python import in_place
from engine.analysis.verdict.python.bound_names import check_bound_name
from engine.analysis.verdict.python.calls import DICTIONARIES, RUN_FACTORIES, check_call, check_format
from engine.analysis.verdict.python.context import Context, Step
from engine.analysis.verdict.python.data import interruptions, labels
from engine.analysis.verdict.python.data.arguments import is_type
from engine.analysis.verdict.python.data.arguments import problem as problem_of
from engine.analysis.verdict.python.data.attributes import assigned_attributes
from engine.analysis.verdict.python.data.restricted import FUNCTIONS, methods
from engine.analysis.verdict.python.data.signatures import FUNCTIONS as TYPES
from engine.analysis.verdict.python.exception_types import NAMES_ATTRIBUTES, SUGGESTED
from engine.analysis.verdict.python.meanings import OWN, Meaning, Use
from engine.analysis.verdict.python.scopes import Comprehension, NameScope

_SHOWS = frozenset({"bool", "print", "str", "repr"})
_CLASS_CHECKS = frozenset({"isinstance", "issubclass"})
_TAKES_TYPES = _SHOWS | _CLASS_CHECKS
_TYPES = frozenset({"type", "collections.OrderedDict", *RUN_FACTORIES, *SUGGESTED})
"""Restricted functions that annotations may name, and `except` and `raise`."""
_NAMES_TYPES = frozenset({"", "array", "collections", "datetime", "typing"})
"""Modules whose names in lower case are types or functions, and no objects with brackets."""
_ELEMENT_TYPES = frozenset({"dtype", "otypes"})
"""Arguments that are types of the elements of an array."""
_MAY_NAME_TYPES = frozenset({None, "sig", "signature"})
"""`**`, and arguments that spell the types of a function of numpy in one text."""
_DISPLAYS = (ast.Tuple, ast.List, ast.Set)
_TYPE_NAMES = frozenset({"__name__", "__qualname__"})


def check_name(context: Context, node: ast.Name, scope: NameScope, *, annotation: bool) -> None:
    """Check a name that is read or bound."""
    if isinstance(node.ctx, ast.Load):
        check_meaning(context, node, context.meanings.of_name(node.id, scope), annotation=annotation)
    else:
        check_bound_name(context, node, node.id)


def check_meaning(context: Context, node: ast.AST, meaning: Meaning, *, annotation: bool) -> None:
    """Refuse what may not be a value, or not here."""
    if not _is_listed(meaning):
        return
    context.used.setdefault(meaning.path, node)
    found = None if annotation else _refused(context, meaning.path)
    if found is not None:
        context.refuse(node, found)
    match meaning.use:
        case Use.UNKNOWN:
            context.refuse(node, meaning.reason)
        case Use.MODULE:
            context.refuse(node, f"the module `{meaning.path}` is used as a value")
        case Use.CALL if not (annotation and _is_type(meaning.path)):
            context.refuse(node, f"`{meaning.path}` is used as a value")
        case Use.TYPE if not annotation:
            context.refuse(node, f"the class `{meaning.path}` is used as a value")


def _refused(context: Context, path: str) -> str | None:
    return labels.refused(path, context) or interruptions.refused(path, context)


def _is_type(path: str) -> bool:
    """Return whether annotations may name a restricted function."""
    return path in _TYPES or path in TYPES


def applies_types(context: Context, node: ast.AST, scope: NameScope) -> bool:
    """Return whether the operators of an annotation are those of types: others are handed its types.

    `list[x][C]` hands the class to `x`, which may be a `Series` with methods of the program's own.
    """
    match node:
        case ast.Subscript(value=ast.Subscript() | ast.BinOp()):
            return False
        case ast.Subscript(value=value):
            return _is_type_expression(context, value, scope)
        case ast.BinOp():
            return _is_type_expression(context, node, scope)
    return True


def _is_type_expression(context: Context, node: ast.expr, scope: NameScope) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Subscript(value=value):
            return _is_type_expression(context, value, scope)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(_is_type_expression(context, one, scope) for one in (left, right))
    meaning = context.meanings.of_entry(node, scope)
    return bool(meaning.path) and not _is_object(meaning)


def _is_object(meaning: Meaning) -> bool:
    """Return whether a name of the library may be an object with brackets, such as `calendar.day_name`."""
    module, _, name = meaning.path.rpartition(".")
    listed = meaning.use is Use.VALUE and module not in _NAMES_TYPES
    return listed and name[:1].islower()


def check_attribute(
    context: Context, node: ast.Attribute, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check an attribute that is read, assigned or deleted."""
    if not isinstance(node.ctx, ast.Load):
        if isinstance(node.ctx, ast.Del):
            context.refuse(node, "an attribute that is deleted may change the library")
        elif node.attr not in assigned_attributes(context.libraries) or _is_listed(
            context.meanings.of_path(node.value, scope)[0]
        ):
            context.refuse(node, "an attribute that is assigned may change the library")
        yield node.value, scope, False
        return
    described = described_value(context, node.value, scope) if node.attr in _TYPE_NAMES else None
    if described is not None:
        yield described, scope, False
        return
    meaning, rest = context.meanings.of_path(node, scope)
    if _is_listed(meaning):
        check_meaning(context, node, meaning, annotation=annotation and not rest)
        if not rest or meaning.use is not Use.VALUE:
            return
    context.check_attribute(node, node.attr)
    yield node.value, scope, False


def check_handler(
    context: Context, node: ast.ExceptHandler, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check `except C as e`, which names classes as annotations do."""
    if node.type is not None:
        yield node.type, scope, True
    yield from ((statement, scope, False) for statement in node.body)


def check_raised(context: Context, node: ast.Raise, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check `raise C from e`, which may name a class."""
    for part in (node.exc, node.cause):
        if part is not None:
            yield part, scope, isinstance(part, ast.Name)


def check_augmented(
    context: Context, node: ast.AugAssign, scope: NameScope, *, annotation: bool
) -> list[Step]:
    """Check `a += c`, which reads what it assigns."""
    if isinstance(node.target, ast.Name):
        meaning = context.meanings.of_name(node.target.id, scope)
        check_meaning(context, node.target, meaning, annotation=False)
    return context.steps(node, scope)


def check_comprehension(
    context: Context, node: Comprehension, scope: NameScope, *, annotation: bool
) -> list[Step]:
    """Check a comprehension, whose parts are evaluated in two scopes."""
    if any(generator.is_async for generator in node.generators):
        context.refuse(node, f"{type(node).__name__} is not in the provable subset")
        return []
    context.iterated.update(generator.iter for generator in node.generators)
    return context.steps(node, scope)


def _is_listed(meaning: Meaning) -> bool:
    return meaning.use is not Use.VALUE or bool(meaning.path)


# --- calls ---


def check_called(context: Context, node: ast.Call, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check a call: what is called, and with what."""
    entry = context.meanings.of_entry(node.func, scope)
    _check_keywords(context, node, scope)
    refused = _refused(context, entry.path) if entry.use is Use.CALL else None
    if refused:
        context.refuse(node, refused)
    elif in_place.check_call(context, node, scope):
        pass
    elif entry.use is Use.CALL:
        context.used[f"{entry.path}()"] = node
        problem = _restricted(context, node, entry.path, scope)
        if problem:
            context.refuse(node, problem)
    elif isinstance(node.func, ast.Attribute) and _is_method(context, node.func, entry):
        restricted = methods(context.libraries)[node.func.attr]
        found = problem_of(restricted, node.func.attr, node, context, scope)
        if found:
            context.refuse(node, found)
        yield node.func.value, scope, False
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "format" and not _is_listed(entry):
        problem = check_format(node.func.value)
        if problem:
            context.refuse(node, problem)
    elif not _makes_defaults(context, node, entry, scope):
        yield node.func, scope, False
    yield from _arguments(context, node, entry, scope)


def _check_keywords(context: Context, node: ast.Call, scope: NameScope) -> None:
    if any(word.arg in NAMES_ATTRIBUTES for word in node.keywords):
        context.refuse(node, "an argument names what the library acts on")
    if context.libraries and not all(_has_fixed_type(context, word, scope) for word in node.keywords):
        context.refuse(node, "a type of elements is not spelled out")


def _has_fixed_type(context: Context, word: ast.keyword, scope: NameScope) -> bool:
    """Return whether an argument is no type of the elements of an array, or one that is spelled out."""
    if word.arg in _ELEMENT_TYPES:
        return is_type(context, word.value, scope)
    return word.arg not in _MAY_NAME_TYPES


def _makes_defaults(context: Context, node: ast.Call, entry: Meaning, scope: NameScope) -> bool:
    """Return whether a dictionary with defaults is safe in a call, and as no other value."""
    listed = entry.path == interruptions.DEFAULTS and labels.refused(entry.path, context) is None
    return listed and interruptions.makes_defaults(context, node, scope)


def _is_method(context: Context, node: ast.Attribute, entry: Meaning) -> bool:
    """Return whether a call is one of a method that is restricted beside the libraries that are imported."""
    return node.attr in methods(context.libraries) and not _is_listed(entry)


def _restricted(context: Context, node: ast.Call, path: str, scope: NameScope) -> str | None:
    if path in FUNCTIONS:
        return problem_of(FUNCTIONS[path], path, node, context, scope)
    if path == "copy.deepcopy" and context.libraries:
        return "`deepcopy` takes the texts of an array for addresses of objects"
    if path in RUN_FACTORIES and "defaultdict" in context.names:
        return f"`{path}` beside `defaultdict`, whose factory runs where C code does not expect it"
    if path == "collections.OrderedDict" and not DICTIONARIES.isdisjoint(context.names_of_values):
        return "`OrderedDict` beside a class as a value whose methods change it without its order"
    return check_call(path, node)


def _arguments(context: Context, node: ast.Call, entry: Meaning, scope: NameScope) -> Iterator[Step]:
    known = entry.path if entry.use is Use.VALUE else ""
    for number, arg in enumerate(node.args):
        shown = described_value(context, arg, scope) if known in _TAKES_TYPES else None
        yield shown or arg, scope, known in _CLASS_CHECKS and number == 1
    for word in node.keywords:
        yield word.value, scope, False


# --- types of values ---


def described_value(context: Context, node: ast.expr, scope: NameScope) -> ast.expr | None:
    """Return `x` of `type(x)` and `x.__class__`."""
    match node:
        case ast.Call(func=ast.Name() as func, args=[value], keywords=[]):
            is_type = context.meanings.of_name(func.id, scope) == Meaning(Use.CALL, "type")
            return value if is_type and not isinstance(value, ast.Starred) else None
        case ast.Attribute(value=value, attr="__class__", ctx=ast.Load()):
            return value
    return None


def check_compared(
    context: Context, node: ast.Compare, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a comparison: a type may only be compared with types."""
    operands = [node.left, *node.comparators]
    if not any(described_value(context, operand, scope) for operand in operands):
        yield from ((operand, scope, False) for operand in operands)
        return
    for operator, container in zip(node.ops, node.comparators, strict=True):
        if isinstance(operator, ast.In | ast.NotIn) and not isinstance(container, _DISPLAYS):
            context.refuse(node, "a type is compared with what a container holds")
    for operand in operands:
        parts = operand.elts if isinstance(operand, _DISPLAYS) else [operand]
        for part in parts:
            yield from _compared_type(context, part, scope)


def _compared_type(context: Context, node: ast.expr, scope: NameScope) -> Iterator[Step]:
    described = described_value(context, node, scope)
    if described is not None:
        yield described, scope, False
        return
    meaning = context.meanings.of_entry(node, scope)
    is_none = isinstance(node, ast.Constant) and node.value is None
    if not is_none and (meaning == OWN or meaning.use is Use.UNKNOWN):
        context.refuse(node, "a type is compared with something that may not be one")


def check_formatted(
    context: Context, node: ast.FormattedValue, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a field of an f-string."""
    yield described_value(context, node.value, scope) or node.value, scope, False
    if node.format_spec is not None:
        yield node.format_spec, scope, False
