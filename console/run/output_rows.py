"""Maps lines of output to rows of the view: one row per line, or several when wrapped."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from itertools import accumulate

from rich.style import Style

from console.run.output import OutputLines
from console.run.terminal import folded, segments


class OutputRows:
    """The rows of lines that are appended at the end and dropped at the front."""

    def __init__(self, lines: OutputLines, width: int | None = None) -> None:
        self._lines = lines
        self._width = width
        self._first = self._next = lines.dropped
        self._heights: deque[int] = deque()
        self._starts: list[int] = [0]
        self.update()

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self._lines.count if self._width is None else self._starts[-1]

    def update(self) -> int:
        """Update after the lines changed; return how many rows were dropped at the front."""
        dropped = self._lines.dropped
        if self._width is None:
            dropped_rows, self._first = dropped - self._first, dropped
            return dropped_rows
        dropped_rows = sum(
            self._heights.popleft() for _ in range(min(dropped - self._first, len(self._heights)))
        )
        self._first, self._next = dropped, max(self._next, dropped)
        self._heights.extend(
            height(self._lines.at(number)[1], self._width)
            for number in range(self._next, self._lines.finished)
        )
        self._next = self._lines.finished
        last = range(self._next, self._lines.end)
        unfinished = [height(self._lines.at(number)[1], self._width) for number in last]
        self._starts = [0, *accumulate([*self._heights, *unfinished])]
        return dropped_rows

    def at(self, row: int) -> tuple[int, int]:
        """Return the line number of a row, and the index of the row within the line."""
        if self._width is None:
            return self._first + row, 0
        index = bisect_right(self._starts, row) - 1
        return self._first + index, row - self._starts[index]

    def row_of(self, number: int) -> int:
        """Return the first row of a line; row 0 for a dropped line."""
        index = max(0, min(number - self._first, self._lines.count))
        return index if self._width is None else self._starts[index]


def height(line: str, width: int) -> int:
    """Return how many rows a line takes."""
    if line.isascii() and line.isprintable():
        return max(1, -(-len(line) // width))
    return len(folded(segments(line, Style.null()), width))
