"""Blocks of code that can be folded, by their indentation, and which of them are. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from console.code_view.lines import Row

FOLDED = -1
"""The start of a row that stands for folded lines; its end is how many."""


class Folds:
    """The blocks of one code. Lines are counted from 0; a block's first line is never folded with it."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self._lines = lines
        self._folded: set[int] = set()

    @cached_property
    def last(self) -> dict[int, int]:
        """The last line of each block, by its first; found once somebody folds."""
        return blocks(self._lines)

    def __bool__(self) -> bool:
        return bool(self._folded)

    def around(self, line: int) -> int | None:
        """Return the first line of the innermost block that begins at `line`, or holds it, and is open."""
        holding = [first for first, last in self.last.items() if first <= line <= last]
        return max((first for first in holding if first not in self._folded), default=None)

    def fold(self, first: int) -> None:
        """Fold a block."""
        self._folded.add(first)

    def open(self, line: int) -> bool:
        """Open whatever hides a line; False where nothing does."""
        hiding = {first for first in self._folded if first < line <= self.last[first]}
        self._folded -= hiding
        return bool(hiding)

    def open_all(self) -> None:
        """Open every block."""
        self._folded.clear()

    def kept(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows without those that are folded; in their place, one row says how many."""
        if not self._folded:
            return list(rows)
        result, until = list[Row](), -1
        for row in rows:
            if row.line <= until:
                continue
            while result and result[-1].start != FOLDED and result[-1].line in self._folded:
                if row.line == result[-1].line:
                    break
                first = result[-1].line
                until = self.last[first]
                result.append(Row(first, FOLDED, until - first))
            if row.line > until:
                result.append(row)
        return result


def blocks(lines: Sequence[str]) -> dict[int, int]:
    """Return the last line of every block by its first: a line, and what is indented more below it."""
    found: dict[int, int] = {}
    open_ones: list[tuple[int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        text = line.lstrip(" \t")
        if not text:
            continue
        indent = len(line[: len(line) - len(text)].expandtabs(8))
        while open_ones and open_ones[-1][1] >= indent:
            first, _ = open_ones.pop()
            if last > first:
                found[first] = last
        open_ones.append((number, indent))
        last = number
    found.update((first, last) for first, _ in open_ones if last > first)
    return found
