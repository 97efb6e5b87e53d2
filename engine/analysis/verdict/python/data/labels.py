"""Dictionaries where pandas is imported: none may have a computed key.

A `Series` gives what it holds under a label as an attribute, and numpy asks an object for
`__array_interface__`: a dictionary there, with an address, a `shape` and a `typestr`, would read and write
any memory of the process. Labels are computed in every program with pandas, so what must not exist is
that dictionary: its key `typestr` is neither written in the text nor computed.

Nor may a label at which a slice of `loc` ends be computed: pandas takes a text there for a type of elements,
which can name a file of a time zone. No slice with a computed end is kept for `loc`, either.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterable, Iterator

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.context import Context

_KEY = "typestr"
_MAKERS = frozenset(
    words(
        """dict ast.literal_eval collections.ChainMap collections.Counter collections.OrderedDict
            collections.defaultdict csv.DictReader json.JSONDecoder json.load json.loads operator.ior
            operator.setitem typing.DefaultDict typing.Dict typing.OrderedDict typing.Counter
            typing.TypedDict urllib.parse.parse_qs"""
    )
)
"""Functions and classes of the library that make dictionaries with computed keys."""
_METHODS = frozenset(
    words(
        "__setitem__ _asdict _field_defaults b2j fields fromkeys groupdict groupindex groups indices maps"
        " setdefault update"
    )
)


def check(context: Context, root: ast.AST) -> None:
    """Refuse all places below a node that may make a dictionary with a computed key."""
    indexed = {id(node.value) for node in walk(root) if isinstance(node, ast.Subscript)}
    for node in walk(root):
        found = _problem(node) or _selected(node, bracketed=id(node) in indexed)
        if found is not None:
            context.refuse(node, found)


_TAKES_TYPES = frozenset({"numpy.searchsorted", "slice"})
"""Functions by which pandas may take a text for a type of elements."""


def takes_types(path: str, context: Context) -> bool:
    """Return whether pandas may take a text for a type where a program has a name of the library."""
    return path in _TAKES_TYPES and "pandas" in context.libraries


def makes_dictionary(path: str, context: Context) -> bool:
    """Return whether a name of the library makes dictionaries with computed keys, where that matters."""
    return path in _MAKERS and "pandas" in context.libraries


def _problem(node: ast.AST) -> str | None:
    """Return why a node may make a dictionary with a computed key, or hold the forbidden one."""
    names = set(_names(node))
    if _KEY in names or (isinstance(node, ast.Constant) and _is_key(node.value)):
        return f"`{_KEY}` names memory"
    if "super" in names and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return "`super` is given another meaning"
    return _computed(node) or _taken(node)


def _is_key(value: object) -> bool:
    return isinstance(value, str) and _KEY in unicodedata.normalize("NFKC", value)


def _computed(node: ast.AST) -> str | None:
    match node:
        case ast.Dict(keys=keys) if any(not isinstance(key, ast.Constant) for key in keys):
            return "a dictionary with a computed key beside pandas"
        case ast.DictComp():
            return "a dictionary with computed keys beside pandas"
        case ast.keyword(arg=None):
            return "`**` makes a dictionary of what may have any keys"
        case ast.Subscript(ctx=ast.Store(), slice=key) if not _is_plain(key):
            return "an element is stored under a computed key beside pandas"
        case ast.AugAssign(op=ast.BitOr()):
            return "`|=` adds computed keys to a dictionary"
    return None


def _selected(node: ast.AST, *, bracketed: bool) -> str | None:
    match node:
        case ast.Attribute(attr="loc") if not bracketed:
            return "`loc` is used without brackets"
        case ast.Subscript(value=ast.Attribute(attr="loc"), slice=key) if not _is_fixed(key):
            return "a slice of `loc` ends at a computed label"
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


def _is_plain(key: ast.expr) -> bool:
    """Return whether a key is certainly not a computed text."""
    if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Not):
        return True
    return isinstance(key, ast.Constant | ast.Slice | ast.Tuple | ast.List) and _is_fixed(key)


def _is_fixed(key: ast.expr) -> bool:
    """Return whether no slice among keys has a computed end."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    ends = [end for part in slices for end in (part.lower, part.upper, part.step)]
    return all(end is None or isinstance(end, ast.Constant | ast.UnaryOp) for end in ends)
