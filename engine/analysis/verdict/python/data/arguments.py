"""Checks of the arguments of restricted functions and methods of the libraries for data."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.calls import check_format
from engine.analysis.verdict.python.context import Context
from engine.analysis.verdict.python.data.files import PICTURE, TABLE, is_input, is_output
from engine.analysis.verdict.python.data.signatures import REASONS, ArgumentKind, RestrictedCall
from engine.analysis.verdict.python.meanings import Use
from engine.analysis.verdict.python.scopes import BindingKind, NameScope

_REDUCTIONS = frozenset(
    words(
        """all any count cumcount cummax cummin cumprod cumsum first idxmax idxmin last max mean median min
            ngroup nunique prod rank sem size skew std sum var abs round"""
    )
)
_TYPES = frozenset(
    words(
        """bool boolean bytes category complex complex128 complex64 float float16 float32 float64 int int16
            int32 int64 int8 number object str string Int32 Int64 Float64 uint16 uint32 uint64 uint8 all
            datetime timedelta"""
    )
)
_CODE = re.compile(r"(?a)[<>=|]?[biufcSUO]\d*|(?:datetime|timedelta)64\[(?:[DMWYhms]|[mnu]s)\]")
"""Types of numbers, texts of one length and times. `T`, for texts of any length, is not safe in numpy."""
_BUILTIN_TYPES = frozenset({"bool", "bytes", "complex", "float", "int", "object", "str"})
_ENCODINGS = frozenset(
    {"utf-8", "utf8", "utf-8-sig", "utf-16", "latin-1", "latin1", "iso-8859-1", "cp1252", "ascii"}
)
_CALLABLE = frozenset(words("abs all any bool float int len list max min round set sorted str sum tuple"))
_OPTION = re.compile(
    r"display\.(?:max_rows|max_columns|width|precision|max_colwidth|min_rows|expand_frame_repr|float_format)"
)

_STYLE = frozenset(
    words(
        """alpha angleA angleB arrowstyle boxstyle color connectionstyle ec edgecolor facecolor fc fontsize
            fontweight ha headlength headwidth linestyle linewidth ls lw marker markeredgecolor
            markerfacecolor markersize pad rotation shrink shrinkA shrinkB size va weight width"""
    )
)
_FORMATS = frozenset({"png", "svg", "pdf", "jpg", "jpeg"})
_CHARTS = frozenset({"line", "bar", "barh", "hist", "box", "area", "pie", "scatter", "hexbin"})
_AXES = frozenset({0, 1, "index", "columns"})
_BACKENDS = frozenset({"Agg", "agg"})

Check = Callable[[Context, ast.expr, NameScope], bool]


def problem(
    signature: RestrictedCall, path: str, call: ast.Call, context: Context, scope: NameScope
) -> str | None:
    """Return why a call is not proven; None where it is."""
    if len(call.args) > len(signature.positional):
        return f"`{path}` gets more arguments than are known to be safe"
    if len(call.args) + sum(word.arg == "func" for word in call.keywords) < signature.least:
        return f"`{path}` does not get its function"
    for kind, arg in zip(signature.positional, call.args, strict=False):
        if not _CHECKS[kind](context, arg, scope):
            return f"`{path}` {REASONS[kind]}"
    found = (_problem_of_keyword(signature, path, call, word, context, scope) for word in call.keywords)
    return next(filter(None, found), None)


def _problem_of_keyword(
    signature: RestrictedCall,
    path: str,
    call: ast.Call,
    word: ast.keyword,
    context: Context,
    scope: NameScope,
) -> str | None:
    known = signature.keywords.get(word.arg, signature.others) if word.arg else None
    if known is None:
        return f"`{path}` gets an argument `{word.arg or '**'}` that is not on the list"
    if known is ArgumentKind.NAMED and not _is_grouped(call.func):
        return f"`{path}` gets an argument `{word.arg}`, which only groups take for a name"
    return None if _CHECKS[known](context, word.value, scope) else f"`{path}` {REASONS[known]}"


def _any(context: Context, node: ast.expr, scope: NameScope) -> bool:
    return not isinstance(node, ast.Starred)


def _arrays(context: Context, node: ast.expr, scope: NameScope) -> bool:
    if not isinstance(node, ast.List | ast.Tuple):
        return False
    return not any(isinstance(one, ast.Starred) for one in node.elts)


def _literal(context: Context, node: ast.expr, scope: NameScope) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return all(_literal(context, one, scope) for one in elements)
        case ast.Dict(keys=keys, values=values):
            return all(one is not None and _literal(context, one, scope) for one in (*keys, *values))
    return False


def _function(context: Context, node: ast.expr, scope: NameScope) -> bool:
    match node:
        case ast.Lambda():
            return True
        case ast.Constant(value=str(name)):
            return name in _REDUCTIONS
        case ast.Name(id=name) if _is_own_function(context, name, scope):
            return True
    parts = _parts(node)
    return all(_function(context, one, scope) for one in parts) if parts else _is_listed(context, node, scope)


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return what a list, a tuple or a dictionary holds."""
    return node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])


def _named(context: Context, node: ast.expr, scope: NameScope) -> bool:
    """Return whether a result has a column that is spelled out, and its function."""
    match node:
        case ast.Tuple(elts=[ast.Constant(value=str()), reduced]):
            return _function(context, reduced, scope)
    return _function(context, node, scope)


def _is_grouped(node: ast.expr) -> bool:
    """Return whether a method belongs to groups, or to columns of theirs."""
    match node:
        case ast.Attribute(value=ast.Subscript(value=groups)) | ast.Attribute(value=groups):
            return isinstance(groups, ast.Call) and getattr(groups.func, "attr", "") == "groupby"
    return False


def _is_own_function(context: Context, name: str, scope: NameScope) -> bool:
    """Return whether a name is always one of the functions that the program defines, and never a text."""
    bindings, may_be_builtin = context.scopes.resolve(name, scope)
    own = bool(bindings) and all(one.kind is BindingKind.FUNCTION for one in bindings)
    return own and (
        not may_be_builtin or context.meanings.of_name(name, context.scopes.module).use is Use.VALUE
    )


def _is_listed(context: Context, node: ast.expr, scope: NameScope) -> bool:
    """Return whether an expression is a listed function or class of the library, and no text."""
    meaning = context.meanings.of_entry(node, scope)
    listed = meaning.path in _CALLABLE or meaning.path.startswith(("numpy.", "math.", "statistics."))
    return meaning.use is Use.VALUE and listed


def is_type(context: Context, node: ast.expr, scope: NameScope) -> bool:
    """Return whether an expression is a type of elements that is spelled out, or holds only such types.

    A tuple may lay one type over another, such as objects over texts, whose bytes would be their addresses.
    A dictionary names columns, and no parts of a record.
    """
    if isinstance(node, ast.Constant):
        return node.value is None or node.value in _TYPES or _is_code(node.value)
    if isinstance(node, ast.Dict) and not all(_is_column(key) for key in node.keys):
        return False
    if not isinstance(node, ast.Tuple) and (parts := _parts(node)):
        return all(is_type(context, one, scope) for one in parts)
    meaning = context.meanings.of_entry(node, scope)
    return meaning.use is Use.VALUE and (meaning.path in _BUILTIN_TYPES or meaning.path.startswith("numpy."))


def _is_column(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value != "names"


def _is_code(value: object) -> bool:
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def _input(context: Context, node: ast.expr, scope: NameScope) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and is_input(node.value, context.inputs)
    )


def _output(kind: re.Pattern[str]) -> Check:
    """Return the check of a name that is written, which records it."""

    def check(context: Context, node: ast.expr, scope: NameScope) -> bool:
        name = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(name, str) or not is_output(name, kind, context.inputs):
            return False
        context.write(node, name)
        return True

    return check


def _one_of(known: frozenset[str]) -> Check:
    """Return the check of a text that is spelled out and of a list."""

    def check(context: Context, node: ast.expr, scope: NameScope) -> bool:
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known

    return check


def _format(context: Context, node: ast.expr, scope: NameScope) -> bool:
    return check_format(node) is None


def _style(context: Context, node: ast.expr, scope: NameScope) -> bool:
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Dict(keys=keys):
            named = all(isinstance(key, ast.Constant) and key.value in _STYLE for key in keys)
            return named and _literal(context, node, scope)
    return False


def _encoding(context: Context, node: ast.expr, scope: NameScope) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value in _ENCODINGS)


def _axis(context: Context, node: ast.expr, scope: NameScope) -> bool:
    return isinstance(node, ast.Constant) and node.value in _AXES


def _option(context: Context, node: ast.expr, scope: NameScope) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and _OPTION.fullmatch(text) is not None


_CHECKS: Mapping[ArgumentKind, Check] = MappingProxyType(
    {
        ArgumentKind.ANY: _any,
        ArgumentKind.ARRAYS: _arrays,
        ArgumentKind.LITERAL: _literal,
        ArgumentKind.FUNCTION: _function,
        ArgumentKind.NAMED: _named,
        ArgumentKind.TYPE: is_type,
        ArgumentKind.INPUT: _input,
        ArgumentKind.ENCODING: _encoding,
        ArgumentKind.OPTION: _option,
        ArgumentKind.TABLE: _output(TABLE),
        ArgumentKind.PICTURE: _output(PICTURE),
        ArgumentKind.FORMAT: _one_of(_FORMATS),
        ArgumentKind.TEXT: _format,
        ArgumentKind.STYLE: _style,
        ArgumentKind.CHART: _one_of(_CHARTS),
        ArgumentKind.BACKEND: _one_of(_BACKENDS),
        ArgumentKind.AXIS: _axis,
    }
)
