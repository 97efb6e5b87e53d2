"""The structural fingerprint: equal for two drafts whose code differs in nothing that a run could show.

Only Python code that does nothing but compute has one. There names of local variables, comments and blanks
may differ. All other code is the same only where its bytes are: what a name means in shell, in a session or
behind `import *`, no reading of the text can tell.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from engine.models import Draft, Language

PURE_MODULES = frozenset(
    {"math", "cmath", "statistics", "decimal", "fractions", "random", "calendar", "collections", "heapq",
     "bisect", "itertools", "__future__"}
)  # fmt: skip
"""Modules with which code computes, and reaches nothing."""
PURE_NAMES = frozenset(
    {"abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int",
     "isinstance", "len", "list", "map", "max", "min", "pow", "print", "range", "repr", "reversed", "round",
     "set", "sorted", "str", "sum", "tuple", "zip", "ValueError", "TypeError", "KeyError", "IndexError",
     "Exception", "ZeroDivisionError"}
)  # fmt: skip
FORMATTING = frozenset({"format", "format_map"})
"""Methods that reach attributes by way of a string."""
MAX_BYTES = 256 * 1024
_BUILTINS = frozenset(dir(builtins))
_COOKIE = re.compile(r"\A(?:[^\n]*\n)?[ \t]*#.*?coding[:=]")
_AMBIGUOUS = re.compile("\r(?!\n)|[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\ufefe\uff00-\U0010ffff]")
"""Characters that end a line, or are a blank, for one reader and not for another; all controls among them."""


def structural_fingerprint(draft: Draft) -> str | None:
    """Return the SHA-256 of a draft's structure in hexadecimal; None where only its bytes can be compared.

    Two drafts of one fingerprint have the same files, permissions and image, and the same code but for the
    names of its local variables, comments and blanks.
    """
    if draft.language is not Language.PYTHON or draft.session or draft.operation:
        return None
    try:
        code = _structure(draft.code.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    rest = draft.model_dump(mode="json", exclude={"code", "purpose", "files"})
    files = [(file.name.text, hashlib.sha256(file.content).hexdigest()) for file in draft.files]
    return hashlib.sha256(json.dumps([rest, files, code], sort_keys=True).encode()).hexdigest()


def _structure(code: str) -> Any:
    """Return the syntax tree as nested lists. Raises ValueError where only the bytes can be compared."""
    if len(code.encode()) > MAX_BYTES or _AMBIGUOUS.search(code) or _COOKIE.search(code):
        raise ValueError("no two readers need agree on this text")
    tree = ast.parse(code)
    local = {name: f"#{number}" for number, name in enumerate(local_names(tree))}
    if not _only_computes(tree, frozenset(local)):
        raise ValueError("this code reaches more than it computes with")
    return _plain(tree, local)


def local_names(tree: ast.AST) -> list[str]:
    """Return the names that may be exchanged for others, in the order of their first appearance.

    They are those that code binds as variables and in no other way. Another name in the place of an import, a
    function, an argument, a class's attribute, a captured pattern or a built-in could mean something else.
    """
    bound: dict[str, None] = {}
    fixed = set(_BUILTINS)
    for node in _in_order(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id)
        fixed.update(_fixed(node))
    return [name for name in bound if name not in fixed and not name.startswith("__")]


def _fixed(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds other than as a variable, or declares to be another scope's."""
    match node:
        case ast.arg(arg=name):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name):
            yield name
            yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        case ast.alias(name=name, asname=asname):
            yield (asname or name).split(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _in_order(child)


def _only_computes(tree: ast.AST, local: frozenset[str]) -> bool:
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {name for node in ast.walk(tree) for name in _fixed(node) if isinstance(node, ast.arg)}
    return all(_reaches_nothing(node, own | PURE_NAMES | local) for node in ast.walk(tree))


def _reaches_nothing(node: ast.AST, known: frozenset[str] | set[str]) -> bool:
    match node:
        case ast.Import(names=names):
            return all(alias.name in PURE_MODULES and alias.asname is None for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return module in PURE_MODULES and all(_is_plain(alias.name) for alias in names)
        case ast.Attribute(attr=attr):
            return _is_plain(attr)
        case ast.MatchClass(kwd_attrs=attrs):
            return all(map(_is_plain, attrs))
        case ast.Name(id=name):
            return name in known or name in PURE_MODULES
    return not isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await)


def _is_plain(name: str) -> bool:
    """Return whether an attribute or an imported name leads to no module and to nothing inside."""
    return not name.startswith(("_", "*")) and name not in FORMATTING and name not in sys.stdlib_module_names


def _plain(node: object, local: dict[str, str]) -> Any:
    """Return a node as nested lists, its local variables by number."""
    match node:
        case ast.Constant(value=value):
            return ["Constant", type(value).__name__, repr(value)]
        case ast.Name(id=name):
            return ["Name", local.get(name, name), type(node.ctx).__name__]
        case ast.AST():
            return [type(node).__name__, *(_plain(getattr(node, name, None), local) for name in node._fields)]
        case list():
            return [_plain(item, local) for item in node]
    return node if isinstance(node, str | int | None) else repr(node)
