"""Dictionaries where pandas is imported: none may have a computed key.

A `Series` gives what it holds under a label as an attribute, and numpy asks an object for
`__array_interface__`: a dictionary there, with an address, a `shape` and a `typestr`, would read and write
any memory of the process. Labels are computed in every program with pandas, so what must not exist is
that dictionary: its key `typestr` is neither written in the text nor computed.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterable, Iterator, Set

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.context import Context
from engine.analysis.verdict.python.data import element_types
from engine.analysis.verdict.python.data.element_types import TAKES_TYPES, is_fixed

_KEY = "typestr"
MAKERS = frozenset(
    words(
        """dict ast.literal_eval collections.ChainMap collections.Counter collections.OrderedDict
            collections.defaultdict csv.DictReader json.JSONDecoder json.load json.loads operator.ior
            operator.setitem typing.DefaultDict typing.Dict typing.OrderedDict typing.Counter
            typing.TypedDict urllib.parse.parse_qs"""
    )
)
"""Functions and classes of the library that make dictionaries with computed keys."""
_KEEPING = frozenset({"functools.partial", "matplotlib.pyplot.colorbar"})
"""Functions that keep functions; `colorbar` stores a method of its own where a `Series` says so."""
_METHODS = frozenset(
    words(
        "__setitem__ _asdict _field_defaults b2j fields fromkeys groupdict groupindex groups indices maps"
        " setdefault update"
    )
)


def check(context: Context, root: ast.AST, bound: Set[str]) -> None:
    """Refuse all places below a node that may make a dictionary with a computed key, or a type of a text.

    `bound` has the names that the program gives a meaning.
    """
    indexed = {id(node.value) for node in walk(root) if isinstance(node, ast.Subscript)}
    for node in walk(root):
        found = _problem(node, bound) or element_types.problem(node, bound, bracketed=id(node) in indexed)
        if found is not None:
            context.refuse(node, found)


def refused(path: str, context: Context) -> str | None:
    """Return why a name of the library is not proven beside pandas; None where it is."""
    if "pandas" not in context.libraries:
        return None
    if path in MAKERS:
        return f"`{path}` makes dictionaries with computed keys beside pandas"
    if path in TAKES_TYPES:
        return f"`{path}` may take a text for a type of elements beside pandas"
    return f"`{path}` keeps what it is called with beside pandas" if path in _KEEPING else None


def _problem(node: ast.AST, bound: Set[str]) -> str | None:
    """Return why a node may make a dictionary with a computed key, or hold the forbidden one."""
    names = set(_names(node))
    if _KEY in names or (isinstance(node, ast.Constant) and _is_key(node.value)):
        return f"`{_KEY}` names memory"
    return _computed(node, bound) or _taken(node)


def _is_key(value: object) -> bool:
    return isinstance(value, str) and _KEY in unicodedata.normalize("NFKC", value)


def _computed(node: ast.AST, bound: Set[str]) -> str | None:
    match node:
        case ast.Dict(keys=keys) if any(not isinstance(key, ast.Constant) for key in keys):
            return "a dictionary with a computed key beside pandas"
        case ast.DictComp():
            return "a dictionary with computed keys beside pandas"
        case ast.keyword(arg=None):
            return "`**` makes a dictionary of what may have any keys"
        case ast.Subscript(ctx=ast.Store(), slice=key) if not _is_plain(key, bound):
            return "an element is stored under a computed key beside pandas"
        case ast.AugAssign(op=ast.BitOr()):
            return "`|=` adds computed keys to a dictionary"
    return None


def _taken(node: ast.AST) -> str | None:
    names = set(_attributes(node))
    if "__init__" in names:
        return "`__init__` may set up an object of pandas anew"
    taken = sorted(names & _METHODS)
    return f"`{taken[0]}` may make a dictionary with computed keys" if taken else None


def _attributes(node: ast.AST) -> Iterable[str]:
    """Return the attributes that a node takes of a value, whatever its syntax.

    `getattr` may have another name here, so that the second argument of any call counts.
    """
    match node:
        case ast.Attribute(attr=name):
            return (name,)
        case ast.Call(args=[_, ast.Constant(value=str(name)), *_]):
            return (name,)
    return ()


def _names(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "arg", "name", "asname"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value


def _is_plain(key: ast.expr, bound: Set[str]) -> bool:
    """Return whether a key is certainly not a computed text."""
    if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Not):
        return True
    return isinstance(key, ast.Constant | ast.Slice | ast.Tuple | ast.List) and is_fixed(key, bound)
