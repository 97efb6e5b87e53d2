"""Scopes, classes and functions of the code."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from engine.analysis.python.evaluate.names import KNOWN
from engine.analysis.python.evaluate.values import PythonValue


@dataclass(slots=True)
class PythonScope:
    """The names of a module, function or class body. A name that is bound to nothing known maps to None."""

    parent: PythonScope | None = None
    owner: PythonClass | None = None
    names: dict[str, PythonValue | None] = field(default_factory=dict)
    results: list[PythonValue | None] = field(default_factory=list)
    yields: list[PythonValue | None] = field(default_factory=list)
    homes: dict[str, PythonScope] = field(default_factory=dict)
    """Where names are at home that are declared `global` or `nonlocal` here."""

    def lookup(self, name: str) -> PythonValue | None:
        """Return what `name` means here: a local, enclosing, global, built-in or well-known module's name."""
        scope: PythonScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return KNOWN.get(name)

    def binder(self, name: str) -> PythonScope | None:
        """Return the nearest scope around this one that binds `name`."""
        scope = self.parent
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    def module(self) -> PythonScope:
        """Return the outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class PythonClass:
    """A class of the code: its attributes, those set on `self` among them."""

    name: str
    bases: tuple[str, ...]
    attributes: dict[str, PythonValue | None] = field(default_factory=dict)
    parents: tuple[PythonClass, ...] = ()
    declared: tuple[str, ...] = ()
    """The fields that a constructor made from the class body takes, in order."""

    def extends(self, other: PythonClass | None) -> bool:
        """Whether it is `other`, or one of its subclasses."""
        return self is other or any(parent.extends(other) for parent in self.parents)


@dataclass(slots=True, eq=False)
class PythonFunction:
    """A function of the code, read when first called or when the module has been read."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: PythonScope
    owner: PythonClass | None = None
    bound: bool = False
    """Whether the first parameter is the object that it is called on, or its class."""
    of_class: bool = False
    """Whether the first parameter is the class."""
    state: str = "unread"
    """`unread`, `reading` or `read`."""
    nested: int = 0
    """How many times it is being read, one within the other."""
    recursive: bool = False
    hot: bool = False
    """Whether something in it depends on what it is called with, so that a call is worth reading it again."""
    result: PythonValue | None = None
    defaults: dict[str, PythonValue | None] = field(default_factory=dict)
    """What parameters are where the call does not say."""
