"""Which lines ran, as the guest says: rows of numbers. Every byte of it is hostile."""

from __future__ import annotations

import re

from engine.models.lines import MOST_LINES, LineMark

MAX_ROWS_BYTES = 256 * 1024
MAX_STACK_BYTES = 64 * 1024
_ROW = re.compile(rb"(\d{1,4}) (\d{1,10}) (\d{1,10}) (\d{1,10})")
_HEAD, _STACK = b"lines\n", b"stack\n"


class LineRowsError(ValueError):
    """The guest sent rows that no supervisor sends."""


def line_marks(data: bytes, lines: int) -> tuple[LineMark, ...]:
    """Return the rows for code of so many lines: in order, each line once. Raises LineRowsError."""
    if len(data) > MAX_ROWS_BYTES or (data and not data.endswith(b"\n")):
        raise LineRowsError("not rows of lines")
    marks: list[LineMark] = []
    last = 0
    for row in data.split(b"\n")[:-1]:
        found = _ROW.fullmatch(row)
        if found is None:
            raise LineRowsError("not a row of a line")
        mark = LineMark(*map(int, found.groups()))
        if not last < mark.line <= min(lines, MOST_LINES):
            raise LineRowsError("a line that the code does not have, or out of order")
        last = mark.line
        marks.append(mark)
    return tuple(marks)


def split_report(item: bytes) -> tuple[bytes, str]:
    """Return the rows and the stack of what a running program's supervisor says. Raises LineRowsError."""
    if not item.startswith(_HEAD):
        raise LineRowsError("neither lines nor a stack")
    rows, _, stack = item[len(_HEAD) :].partition(_STACK)
    return rows, stack[:MAX_STACK_BYTES].replace(b"\0", b"").decode("utf-8", "replace")
