"""Where `__slots__` may be assigned: its names are attributes, and `copy` reads them again each time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python.attributes import may_be_assigned

SLOTS = "__slots__"
_ALLOWED = frozenset({"__dict__", "__weakref__"})


def spelled_out_slots(node: ast.ClassDef) -> Iterator[ast.AST]:
    """Yield the targets in the body of a class to which names of slots are assigned that are spelled out."""
    for statement in node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name) as target], value=value)
                | ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as value)
            ) if name == SLOTS and _is_spelled_out(value):
                yield target


def _is_spelled_out(value: ast.expr) -> bool:
    names = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return all(isinstance(name, ast.Constant) and _is_slot(name.value) for name in names)


def _is_slot(name: object) -> bool:
    return isinstance(name, str) and (name in _ALLOWED or may_be_assigned(name))
