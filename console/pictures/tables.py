"""Formats the tables that a run displayed as aligned lines. Pure."""

from __future__ import annotations

import json
from itertools import zip_longest

from rich.cells import cell_len

from console.safety.text import clip, visible_text
from engine.common.text import Untrusted

MAX_ROWS = 10_000
WIDEST = 40
"""The widest column in cells; longer values end in `…`."""


def table(text: Untrusted) -> str | None:
    """Return a table as aligned lines with every character visible; None if it is not a table."""
    try:
        data = json.loads(text.text)
        heads, rows = data["columns"], data["rows"]
        lines = [[_cell(each) for each in row] for row in (heads, *rows[:MAX_ROWS])]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    widths = [max(map(cell_len, column)) for column in zip_longest(*lines, fillvalue="")]
    drawn = [
        "  ".join(_padded(cell, width) for cell, width in zip(line, widths, strict=False)) for line in lines
    ]
    drawn.insert(1, "  ".join("─" * width for width in widths))
    if len(rows) > MAX_ROWS:
        drawn.append(f"… and {len(rows) - MAX_ROWS:,} more rows")
    return "\n".join(drawn)


def _cell(value: object) -> str:
    return clip(visible_text("" if value is None else str(value)), WIDEST)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - cell_len(cell))
