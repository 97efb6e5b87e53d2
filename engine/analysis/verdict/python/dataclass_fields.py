"""Where `dataclasses.field` may be called: only where nothing keeps what it returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python.child_nodes import evaluated_in_class

FIELD = "dataclasses.field"


def field_defaults(node: ast.ClassDef) -> Iterator[ast.Call]:
    """Yield the calls in the body of a dataclass that are defaults of fields and can be nothing else.

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
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call) if name not in read:
                yield call
