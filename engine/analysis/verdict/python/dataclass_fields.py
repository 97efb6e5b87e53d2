"""Where `dataclasses.field` may be called: only where nothing keeps what it returns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set

from engine.analysis.python.parse.child_nodes import evaluated_in_class

_WORD = re.compile(r"\w+")
FIELD = "dataclasses.field"
KEYWORD_MARK = "dataclasses.KW_ONLY"
PLAIN_BASES = frozenset({"object", "Exception", "abc.ABC", "typing.Generic", "typing.Protocol"})
"""Bases of the library that leave the attributes of a class as they are: those of `enum` and `NamedTuple`
keep them elsewhere, too."""


def field_defaults(node: ast.ClassDef, marks: Set[str]) -> Iterator[ast.Call]:
    """Yield the calls in the body of a dataclass that are defaults of fields and can be nothing else.

    `marks` has the names of `KW_ONLY`, whose attribute is no field and keeps what it holds.

    `dataclass` compiles the name that a field object holds: a program that keeps one, renames it and
    inherits from its class has its text executed. The decorator replaces what a class attribute holds
    by the default of the field, so that nobody can reach the object, unless the body reads it before.
    """
    read = {
        part.id
        for statement in node.body
        for part in evaluated_in_class(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call, simple=1):
                if name not in read and not _mentions(statement.annotation, marks):
                    yield call


def _mentions(annotation: ast.expr, marks: Set[str]) -> bool:
    """Return whether an annotation, or its text, has one of the names."""
    return not marks.isdisjoint(_WORD.findall(ast.unparse(annotation)))
