"""Where each line of output lies on the screen: one row for each, or as many as it takes when wrapped."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from itertools import accumulate

from rich.style import Style

from console.run.output import OutputLines
from console.run.terminal import folded, segments


class OutputRows:
    """Rows over lines that grow at the end and are forgotten at the front."""

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
        """Take in that the lines changed; return how many rows went at the front."""
        dropped = self._lines.dropped
        if self._width is None:
            gone, self._first = dropped - self._first, dropped
            return gone
        gone = sum(self._heights.popleft() for _ in range(min(dropped - self._first, len(self._heights))))
        self._first, self._next = dropped, max(self._next, dropped)
        self._heights.extend(
            height(self._lines.at(number)[1], self._width)
            for number in range(self._next, self._lines.finished)
        )
        self._next = self._lines.finished
        last = range(self._next, self._lines.end)
        unfinished = [height(self._lines.at(number)[1], self._width) for number in last]
        self._starts = [0, *accumulate([*self._heights, *unfinished])]
        return gone

    def at(self, row: int) -> tuple[int, int]:
        """Return the number of the line on a row, and which of its rows that is."""
        if self._width is None:
            return self._first + row, 0
        index = bisect_right(self._starts, row) - 1
        return self._first + index, row - self._starts[index]

    def row_of(self, number: int) -> int:
        """Return the first row of a line; the first row of all for a line that is forgotten."""
        index = max(0, min(number - self._first, self._lines.count))
        return index if self._width is None else self._starts[index]


def height(line: str, width: int) -> int:
    """Return how many rows a line takes."""
    if line.isascii() and line.isprintable():
        return max(1, -(-len(line) // width))
    return len(folded(segments(line, Style.null()), width))
