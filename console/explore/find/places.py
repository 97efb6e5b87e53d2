"""Places in a text: offsets as lines and columns, and a typed line number."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from console.explore.find.matches import Match

LINE = re.compile(r"\s*(\d{1,9})(?:\s*[:,]\s*(\d{1,9}))?\s*")
Location = tuple[int, int]
"""A line and a column, counted from 0."""


class Offsets:
    """Changes offsets of lines joined by one character into lines and columns, and back."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._starts = [0]
        for line in lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def location(self, offset: int) -> Location:
        """Return the line and the column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def offset(self, location: Location) -> int:
        """Return the offset of a line and a column."""
        return self._starts[location[0]] + location[1]


def columns_by_line(
    matches: Iterable[Match], offsets: Offsets, lines: Sequence[str]
) -> dict[int, list[tuple[int, int]]]:
    """Return for each line the columns that matches cover in it."""
    covered: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for match in matches:
        (first, start), (last, end) = offsets.location(match.start), offsets.location(match.end)
        for line in range(first, last + 1):
            covered[line].append((start if line == first else 0, end if line == last else len(lines[line])))
    return covered


def typed_location(typed: str) -> Location | None:
    """Return the place that `12` or `12:3` names, counted from 1 as people do; None where it names none."""
    found = LINE.fullmatch(typed)
    return (max(0, int(found[1]) - 1), max(0, int(found[2] or 1) - 1)) if found else None
