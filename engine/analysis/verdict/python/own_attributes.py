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


def _defined(node: ast.Attribute | ast.Call) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        if isinstance(node.ctx, ast.Store):
            yield node.attr
        return
    match _last_name(node.func), node:
        case "namedtuple", ast.Call(args=args):
            for arg in args[1:]:
                for part in ast.walk(arg):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from _WORD.findall(part.value)
        case "SimpleNamespace", ast.Call(keywords=keywords):
            yield from (word.arg for word in keywords if word.arg)
        case "setattr", ast.Call(func=ast.Name(), args=[_, ast.Constant(value=str(name)), *_]):
            yield name


def _last_name(called: ast.expr) -> str:
    """Return the name, or the last attribute, that is called."""
    if isinstance(called, ast.Name):
        return called.id
    return called.attr if isinstance(called, ast.Attribute) else ""
