"""The columns of the History table: which there are, which are shown, and where the choice is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from console.run.result_text import outcome
from console.run.run_list import status_sign
from console.safety.text import Part, pad
from console.widgets.formatting import badge, lasted, now, size, when
from engine import locations
from engine.common.local_files import read_file, write_private
from engine.models import Summary

MOST_BYTES = 1 << 16
LEAST_LINE = 9
"""Cells that are left for the first line of code: columns that leave fewer are not shown."""
BROAD = 110


class Column(NamedTuple):
    """One column: its title, its cells, and what is drawn in it."""

    title: str
    cells: int
    draw: Callable[[Summary, int], list[Part]]


def _plain(text: Callable[[Summary], object]) -> Callable[[Summary, int], list[Part]]:
    return lambda row, cells: [(pad(str(text(row)), cells), "muted")]


def _outcome(row: Summary, cells: int) -> list[Part]:
    end, style = outcome(row)
    return [status_sign(row), " ", (pad(end, cells - 2), style)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


COLUMNS: dict[str, Column] = {
    "submitted": Column("submitted", 16, _plain(lambda row: when(row.submitted_at, now()))),
    "risk": Column("risk", 5, lambda row, cells: [badge(row.risk), "  "]),
    "outcome": Column("outcome", 24, _outcome),
    "requester": Column("requested by", 16, lambda row, cells: [(pad(row.requester, cells), "foreground")]),
    "reviewer": Column("decided by", 12, lambda row, cells: [(pad(row.reviewer, cells), "muted")]),
    "memory": Column("peak", 9, _plain(lambda row: size(row.memory_peak))),
    "language": Column("language", 10, _plain(lambda row: row.language.value)),
    "id": Column("ID", 12, _plain(lambda row: row.id)),
    "duration": Column("duration", 9, _plain(lambda row: lasted(row.duration))),
    "exit": Column("exit", 4, _plain(lambda row: _number(row.exit_code))),
    "kill": Column("killed for", 10, _plain(lambda row: row.kill_reason.value if row.kill_reason else "")),
    "violations": Column("found", 5, _plain(lambda row: row.violations)),
    "lines": Column("lines", 6, _plain(lambda row: row.lines)),
    "digest": Column("digest", 12, _plain(lambda row: row.digest[:12])),
}
"""By name, in the order in which they stand."""
NARROW_ONES = ("submitted", "risk", "outcome", "requester")
BROAD_ONES = (*NARROW_ONES, "reviewer", "memory", "language")
"""What is shown where nothing was chosen, by width."""


def file() -> Path:
    """Return the path of the choice, which need not exist."""
    return locations.settings_file().parent / "columns.json"


def load() -> tuple[str, ...]:
    """Return the columns that were chosen, in their order; nothing where none were, or the file is wrong."""
    try:
        read = json.loads(read_file(file(), MOST_BYTES))
    except (OSError, ValueError):
        return ()
    chosen = read if isinstance(read, list) else []
    return tuple(name for name in COLUMNS if name in chosen)


def save(chosen: Sequence[str]) -> None:
    """Keep a choice; an empty one means those for the width. Raises OSError."""
    write_private(file(), json.dumps(list(chosen)).encode())


def shown(chosen: Sequence[str], width: int) -> tuple[Column, ...]:
    """Return the columns for a width: the chosen ones, as many as fit."""
    left, fitting = width - LEAST_LINE - 2, []
    for name in chosen or (BROAD_ONES if width > BROAD else NARROW_ONES):
        left -= COLUMNS[name].cells + 1
        if left >= 0:
            fitting.append(COLUMNS[name])
    return tuple(fitting)


def drawn(columns: Sequence[Column], row: Summary) -> list[Part]:
    """Return the parts of a row, a blank after each column."""
    return [part for column in columns for part in (*column.draw(row, column.cells), " ")]


def used(columns: Sequence[Column]) -> int:
    """Return how many cells columns take, with the blanks between them."""
    return sum(column.cells + 1 for column in columns)
