"""The attributes that a program defines for its own objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from engine.analysis.verdict.python.scopes import ScopeKind, Scopes

_WORD = re.compile(r"[^\W\d]\w*")


def own_attributes(scopes: Scopes) -> frozenset[str]:
    """Return the names of all attributes that the program assigns or defines."""
    names = {name for node in scopes.defining for name in _defined(node)}
    for scope in scopes.by_node.values():
        if scope.kind is ScopeKind.CLASS:
            names.update(scope.names)
    return frozenset(names)


def _defined(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.Call(func=ast.Name(id="namedtuple") | ast.Attribute(attr="namedtuple"), args=args):
            for arg in args[1:]:
                for part in ast.walk(arg):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from _WORD.findall(part.value)
        case ast.Call(func=ast.Name(id="SimpleNamespace") | ast.Attribute(attr="SimpleNamespace")):
            yield from (word.arg for word in node.keywords if word.arg)
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
            yield name
