"""Checks of expressions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.verdict.python.attributes import NAMES_ATTRIBUTES, may_be_assigned
from engine.analysis.verdict.python.bound_names import check_bound_name
from engine.analysis.verdict.python.calls import check_call, check_format
from engine.analysis.verdict.python.context import Context, Step
from engine.analysis.verdict.python.data.arguments import problem as problem_of
from engine.analysis.verdict.python.data.attributes import may_be_assigned_beside, passes_for_library
from engine.analysis.verdict.python.data.labels import makes_dictionary
from engine.analysis.verdict.python.data.named_tuples import names_fields
from engine.analysis.verdict.python.data.restricted import FUNCTIONS, methods
from engine.analysis.verdict.python.data.signatures import FUNCTIONS as TYPES
from engine.analysis.verdict.python.dataclass_fields import FIELD
from engine.analysis.verdict.python.exception_types import IMPORT_ERRORS, binds_self_again, handed_on
from engine.analysis.verdict.python.library import BUILTINS
from engine.analysis.verdict.python.meanings import OWN, Meaning, Use
from engine.analysis.verdict.python.own_hashes import has_cache, names_only_classes
from engine.analysis.verdict.python.scopes import Comprehension, NameScope

_SHOWS = frozenset({"bool", "print", "str", "repr"})
_CLASS_CHECKS = frozenset({"isinstance", "issubclass"})
_SUPPRESS = "contextlib.suppress"
_TAKES_TYPES = _SHOWS | _CLASS_CHECKS
_TYPES = frozenset({"type", "types.SimpleNamespace", *IMPORT_ERRORS})
"""Restricted functions that annotations may name, and `except` and `raise`."""
_CLASSES = frozenset(
    name for name in BUILTINS.values - {"super"} if isinstance(getattr(builtins, name, None), type)
)
_NAMES_TYPES = frozenset({"", "array", "collections", "datetime", "typing"})
"""Modules whose names in lower case are types or functions, and no objects with brackets."""
_DISPLAYS = (ast.Tuple, ast.List, ast.Set)
_STORES = frozenset({"setattr", "delattr"})
_TYPE_NAMES = frozenset({"__name__", "__qualname__"})


def check_name(context: Context, node: ast.Name, scope: NameScope, *, annotation: bool) -> None:
    """Check a name that is read or bound."""
    if isinstance(node.ctx, ast.Load):
        check_meaning(context, node, context.meanings.of_name(node.id, scope), annotation=annotation)
    else:
        check_bound_name(context, node, node.id, scope)


def check_meaning(context: Context, node: ast.AST, meaning: Meaning, *, annotation: bool) -> None:
    """Refuse what may not be a value, or not here."""
    if not _is_listed(meaning):
        return
    context.used.setdefault(meaning.path, node)
    if makes_dictionary(meaning.path, context) and not annotation:
        context.refuse(node, f"`{meaning.path}` makes dictionaries with computed keys beside pandas")
    hazard = context.hazards.problem(meaning.path)
    if hazard:
        context.refuse(node, hazard)
    if context.collides and has_cache(meaning.path) and not annotation:
        context.refuse(node, f"`{meaning.path}` may compare an own object with a class of the library")
    match meaning.use:
        case Use.UNKNOWN:
            context.refuse(node, meaning.reason)
        case Use.MODULE:
            context.refuse(node, f"the module `{meaning.path}` is used as a value")
        case Use.CALL if not (annotation and _is_type(meaning.path)):
            context.refuse(node, f"`{meaning.path}` is used as a value")
        case Use.DESCRIBED if node not in context.tested:
            context.refuse(node, "the type of an exception is used as a value")
        case Use.CLASS | Use.TYPE if not annotation:
            context.refuse(node, f"the class `{meaning.path}` is used as a value")


def _is_type(path: str) -> bool:
    """Return whether annotations may name a restricted function."""
    return path in _TYPES or path in TYPES


def is_built_in(context: Context, node: ast.expr, scope: NameScope) -> bool:
    """Return whether an expression names a built-in, and nothing else."""
    meaning = context.meanings.of_entry(node, scope)
    return isinstance(node, ast.Name) and bool(meaning.path) and meaning.use is Use.VALUE


def applies_types(context: Context, node: ast.AST, scope: NameScope) -> bool:
    """Return whether the operators of an annotation are those of types: others are handed its types."""
    match node:
        case ast.Subscript(value=value):
            return _is_type_expression(context, value, scope)
        case ast.BinOp():
            return _is_type_expression(context, node, scope)
    return True


def check_type_arguments(context: Context, node: ast.Subscript, scope: NameScope) -> None:
    """Refuse an annotation with classes that are no values beside objects that an own `__eq__` compares.

    `Union[A, x]` compares what it holds, so that the `__eq__` would be handed the class.
    """
    if not context.compares:
        return
    names = [part for part in walk(node) if isinstance(part, ast.Name | ast.Attribute)]
    meanings = [context.meanings.of_entry(name, scope) for name in names]
    cached = context.collides and any(has_cache(meaning.path) for meaning in meanings)
    if cached and not names_only_classes(context.meanings, node, scope):
        context.refuse(node, "an own `__eq__` may be handed a class that a cache of `typing` holds")
    restricted = any(meaning.use in {Use.CLASS, Use.TYPE} for meaning in meanings)
    if restricted and any(meaning == OWN for meaning in meanings):
        context.refuse(node, "an own `__eq__` may be handed a class that is no value")


def _is_type_expression(context: Context, node: ast.expr, scope: NameScope) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Subscript(value=value):
            return _is_type_expression(context, value, scope)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(_is_type_expression(context, one, scope) for one in (left, right))
    meaning = context.meanings.of_entry(node, scope)
    return meaning.is_own_class or (bool(meaning.path) and not _is_object(meaning))


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
        yield from _assigned(context, node, scope)
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
    if node.attr != "__init__" or not _is_base(context, node.value, scope):
        context.check_attribute(node, node.attr)
    yield node.value, scope, False


def _is_base(context: Context, node: ast.expr, scope: NameScope) -> bool:
    """Return whether `node.__init__` sets up an object as one of a class that is named here, or of its bases.

    An object of the library could be set up anew with arguments that the code does not spell out.
    """
    match node:
        case ast.Call(func=ast.Name() as func, args=args, keywords=[]):
            entries = [context.meanings.of_entry(arg, scope) for arg in args[:1]]
            own = all(entry.is_own_class for entry in entries)
            return context.meanings.of_entry(func, scope).path == "super" and own
    entry = context.meanings.of_entry(node, scope)
    return entry.is_own_class or entry.path in _CLASSES


def check_handler(
    context: Context, node: ast.ExceptHandler, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check `except C as e`, which names classes as annotations do."""
    if node.type is not None:
        yield node.type, scope, True
    yield from ((statement, scope, False) for statement in node.body)


def check_star(context: Context, node: ast.TryStar, scope: NameScope, *, annotation: bool) -> list[Step]:
    """Check `except* C`, which hands the class to the `split` of the group."""
    for handler in node.handlers if context.hazards.splits else ():
        named = [part for part in walk(handler) if isinstance(part, ast.Name | ast.Attribute)]
        if any(context.meanings.of_entry(part, scope).use is not Use.VALUE for part in named):
            context.refuse(handler, "an own `split` may be handed a class that is no value")
    return context.steps(node, scope)


def check_raised(context: Context, node: ast.Raise, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check `raise C from e`, which may name a class."""
    for part in (node.exc, node.cause):
        if part is not None:
            yield part, scope, isinstance(part, ast.Name)


def check_augmented(
    context: Context, node: ast.AugAssign, scope: NameScope, *, annotation: bool
) -> list[Step]:
    """Check `a.b += c` and `a += c`, which read what they assign."""
    if isinstance(node.target, ast.Attribute):
        context.check_attribute(node.target, node.target.attr)
    elif isinstance(node.target, ast.Name):
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
    return context.steps(node, scope)


def _is_listed(meaning: Meaning) -> bool:
    return meaning.use is not Use.VALUE or bool(meaning.path)


def _assigned(context: Context, node: ast.Attribute, scope: NameScope) -> Iterator[Step]:
    meaning, _ = context.meanings.of_path(node.value, scope)
    if _is_listed(meaning):
        context.refuse(node, f"changes `{meaning.path or 'something unknown'}` of the library")
    elif not may_be_assigned(node.attr) or not may_be_assigned_beside(node.attr, context.libraries):
        context.refuse(node, f"assigns `{node.attr}`, which belongs to the interpreter")
    else:
        yield node.value, scope, False


# --- calls ---


def check_called(context: Context, node: ast.Call, scope: NameScope, *, annotation: bool) -> Iterator[Step]:
    """Check a call: what is called, and with what."""
    entry = context.meanings.of_entry(node.func, scope)
    if any(word.arg in NAMES_ATTRIBUTES for word in node.keywords):
        context.refuse(node, "an argument names what the library acts on")
    if entry.use is Use.CALL:
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
    else:
        yield node.func, scope, False
    yield from _arguments(context, node, entry, scope)


def _is_method(context: Context, node: ast.Attribute, entry: Meaning) -> bool:
    """Return whether a call is one of a method that is restricted beside the libraries that are imported."""
    return node.attr in methods(context.libraries) and not _is_listed(entry)


def _restricted(context: Context, node: ast.Call, path: str, scope: NameScope) -> str | None:
    if path == FIELD:
        return None if node in context.field_defaults else "a `field` that is no default of a dataclass"
    if path in _STORES and _stores_in_library(context, node, scope):
        return f"`{path}` changes the library"
    if path == "collections.namedtuple" and not names_fields(node, context.libraries):
        return "`namedtuple` with computed fields may pass for an object of the library"
    if path in FUNCTIONS:
        return problem_of(FUNCTIONS[path], path, node, context, scope)
    if any(word.arg and passes_for_library(word.arg, context.libraries) for word in node.keywords):
        return f"`{path}` makes an object that passes for one of the library"
    match node.args:
        case [_, ast.Constant(value=str(name)), *_] if path == "getattr":
            context.check_attribute(node, name)
    return check_call(path, node, context.safe)


def _stores_in_library(context: Context, node: ast.Call, scope: NameScope) -> bool:
    match node.args:
        case [target, ast.Constant(value=str(name)), *_]:
            listed = _is_listed(context.meanings.of_path(target, scope)[0])
            return listed or not may_be_assigned_beside(name, context.libraries)
    return bool(node.args) and _is_listed(context.meanings.of_path(node.args[0], scope)[0])


def _arguments(context: Context, node: ast.Call, entry: Meaning, scope: NameScope) -> Iterator[Step]:
    known = entry.path if entry.use is Use.VALUE else ""
    for number, arg in enumerate(node.args):
        if number == 0 and _hands_on(context, node, scope):
            continue
        shown = described_value(context, arg, scope) if known in _TAKES_TYPES else None
        suppressed = known == _SUPPRESS and not context.hazards.splits
        yield shown or arg, scope, suppressed or (known in _CLASS_CHECKS and number == 1)
    for word in node.keywords:
        yield word.value, scope, False


def _hands_on(context: Context, node: ast.Call, scope: NameScope) -> bool:
    """Return whether the first argument is the type of an exception, and only handed on to a base class."""
    name = handed_on(node)
    if name is None or name.id not in scope.names or described_value(context, name, scope) is None:
        return False
    method = next(one for one, opened in context.scopes.by_node.items() if opened is scope)
    return context.meanings.of_name("super", scope).path == "super" and not binds_self_again(method)


# --- types of values ---


def described_value(context: Context, node: ast.expr, scope: NameScope) -> ast.expr | None:
    """Return `x` of `type(x)` and `x.__class__`."""
    match node:
        case ast.Call(func=ast.Name() as func, args=[value], keywords=[]):
            is_type = context.meanings.of_name(func.id, scope) == Meaning(Use.CALL, "type")
            return value if is_type and not isinstance(value, ast.Starred) else None
        case ast.Attribute(value=value, attr="__class__", ctx=ast.Load()):
            return value
        case ast.Name(id=name) if context.meanings.of_name(name, scope).use is Use.DESCRIBED:
            return ast.Constant(None)
    return None


def check_compared(
    context: Context, node: ast.Compare, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a comparison: a type may only be compared with types, whose `==` no program defines."""
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
    if not is_none and not meaning.is_own_class and (meaning == OWN or meaning.use is Use.UNKNOWN):
        context.refuse(node, "a type is compared with something that may not be one")


def check_formatted(
    context: Context, node: ast.FormattedValue, scope: NameScope, *, annotation: bool
) -> Iterator[Step]:
    """Check a field of an f-string."""
    yield described_value(context, node.value, scope) or node.value, scope, False
    if node.format_spec is not None:
        yield node.format_spec, scope, False
