"""From the tree of a query back to text that means the same."""

from __future__ import annotations

from decimal import Decimal

from engine.history.search.query.fields import FIELDS, FieldKind
from engine.history.search.query.tree import And, Exact, FieldMatch, Not, Or, Query, Range, Value


def text_of(query: Query) -> str:
    """Return a query as text: `parse(text_of(query))` is the same query."""
    if isinstance(query, FieldMatch):
        return term(query.field, *query.values)
    if isinstance(query, Not):
        return f"-{text_of(query.part) if isinstance(query.part, FieldMatch) else f'({text_of(query.part)})'}"
    if isinstance(query, And):
        return " ".join(
            f"({text_of(part)})" if isinstance(part, Or) else text_of(part) for part in query.parts
        )
    return " OR ".join(text_of(part) for part in query.parts)


def term(field: str, *values: Value) -> str:
    """Return one term of a query."""
    return f"{field}:{','.join(_value(field, value) for value in values)}"


def _value(field: str, value: Value) -> str:
    if isinstance(value, Range):
        return _range(value)
    parts = (value.text,) if isinstance(value, Exact) else value.parts
    if FIELDS[field].kind is FieldKind.CHOICE:
        return "*".join(parts)
    return "*".join(f'"{_escaped(part)}"' if part or len(parts) == 1 else "" for part in parts)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _range(value: Range) -> str:
    low, high = _bound(value.low), _bound(value.high)
    if value.low_open:
        return f">{low}"
    return f"{low}..{'<' if value.high_open else ''}{high}"


def _bound(bound: float | str | None) -> str:
    if bound is None or isinstance(bound, str):
        return bound or ""
    return f"{Decimal(repr(bound)):f}"
