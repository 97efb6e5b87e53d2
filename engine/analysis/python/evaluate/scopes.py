"""Which name means what, where."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from engine.analysis.python.evaluate.names import KNOWN
from engine.analysis.python.evaluate.values import Value


@dataclass(slots=True)
class Scope:
    """The names of a module, function or class body. A name that is bound to nothing known maps to None."""

    parent: Scope | None = None
    owner: Class | None = None
    names: dict[str, Value | None] = field(default_factory=dict)
    results: list[Value | None] = field(default_factory=list)

    def lookup(self, name: str) -> Value | None:
        """Return what `name` means here: a local, enclosing, global, built-in or well-known module's name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return KNOWN.get(name)

    def module(self) -> Scope:
        """Return the outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class Class:
    """A class of the code: its attributes, those set on `self` among them."""

    name: str
    bases: tuple[str, ...]
    attributes: dict[str, Value | None] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Function:
    """A function of the code, read when first called or when the module has been read."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    owner: Class | None = None
    state: str = "unread"
    """`unread`, `reading` or `read`."""
    recursive: bool = False
    hot: bool = False
    """Whether something in it depends on what it is called with, so that a call is worth reading it again."""
    result: Value | None = None
    defaults: dict[str, Value | None] = field(default_factory=dict)
    """What parameters are where the call does not say."""
