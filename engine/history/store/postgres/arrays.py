"""Columns of many rows as the texts of PostgreSQL's arrays.

psycopg writes lists, too, one value at a time in Python: that takes nine times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_QUOTE, _HEX = '"', '"\\\\x'
_TYPES = {int: "bigint", str: "text", bytes: "bytea", float: "double precision"}


def array_type(column: Sequence[Any]) -> str:
    """Return the type of the values of a column; empty where they have several, or another."""
    kinds = set(map(type, column))
    return _TYPES.get(kinds.pop(), "") if len(kinds) == 1 else ""


def array_of(column: Sequence[Any]) -> str:
    """Return the values of a column, which are of one type, as an array."""
    if isinstance(column[0], bytes):
        return f"{{{','.join([_HEX + value.hex() + _QUOTE for value in column])}}}"
    if isinstance(column[0], str):
        return f"{{{','.join(map(_quoted, column))}}}"
    return f"{{{','.join(map(str, column))}}}"


def _quoted(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    return '"' + text.replace('"', '\\"') + '"'
