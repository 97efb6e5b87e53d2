"""Shapes that the grammar reads and JavaScript does not have: Node.js begins a new statement there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.analysis.verdict.javascript.tree import SyntaxPart

_LOOSE = frozenset(
    {
        *("arrow_function", "assignment_expression", "augmented_assignment_expression"),
        *("ternary_expression", "sequence_expression"),
    }
)
"""What is no operand without parentheses."""
_OPERATED = _LOOSE | {"unary_expression", "binary_expression", "update_expression"}
"""What is neither called nor has members without parentheses."""
_REFUSED: Mapping[str, Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "binary_expression": {"left": _LOOSE, "right": _LOOSE},
        "unary_expression": {"argument": _LOOSE},
        "ternary_expression": {"condition": _LOOSE},
        "call_expression": {"function": _OPERATED},
        "member_expression": {"object": _OPERATED},
        "subscript_expression": {"object": _OPERATED},
        "new_expression": {"constructor": _OPERATED | {"new_expression"}},
    }
)


def unclear(root: SyntaxPart) -> Iterator[SyntaxPart]:
    """Yield what ends with its line: nothing calls `() => {}`, so `(1)` in the next line is a statement."""
    stack = [root]
    while stack:
        part = stack.pop()
        for field, refused in _REFUSED.get(part.type, {}).items():
            if part.field(field).type in refused:
                yield part.field(field)
        stack.extend(part.parts)
