"""One page of a table, sorted by a column. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from console.tables.formats import Table

LONGEST_CELL = 400
"""Characters of a cell on a page."""
LONGEST_NAME = 80


@dataclass(frozen=True)
class PageRequest:
    """Which rows are wanted: `count` from `first` on, sorted by a column where one is given."""

    first: int = 0
    count: int = 200
    column: int | None = None
    descending: bool = False


@dataclass(frozen=True)
class TablePage:
    """Some rows of a table. All texts are the guest's."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int
    total: int
    """How many rows the table has, or the most that are read."""


def page(table: Table, request: PageRequest) -> TablePage:
    """Return the rows that are asked for; the last page where they lie beyond the end."""
    columns, rows = table
    column = request.column
    if column is not None and column < len(columns):
        rows = _sorted(rows, column, descending=request.descending)
    first = max(0, min(request.first, (len(rows) - 1) // request.count * request.count))
    shown = rows[first : first + request.count]
    return TablePage(
        tuple(name[:LONGEST_NAME] for name in columns),
        tuple(tuple(cell[:LONGEST_CELL] for cell in row) for row in shown),
        first,
        len(rows),
    )


def _sorted(rows: list[list[str]], column: int, *, descending: bool) -> list[list[str]]:
    """Return rows in order: numbers by value, then texts; what is empty comes last either way."""
    full = [row for row in rows if row[column]]
    full.sort(key=lambda row: _key(row[column]), reverse=descending)
    return full + [row for row in rows if not row[column]]


def _key(text: str) -> tuple[bool, float, str]:
    try:
        number = float(text)
    except ValueError:
        return True, 0.0, text
    return (True, 0.0, text) if math.isnan(number) else (False, number, "")
