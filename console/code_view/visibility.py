"""Which lines of code were on screen long enough: a line counts once all its rows were.

The time that passes is shared among the rows on screen that are new. So a page takes as long as what is new
on it, and turning pages faster than they can be read counts for nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from console.code_view.lines import Row

TOLERANCE = 1e-6


class VisibilityTracker:
    """The rows and lines of one piece of code that were on screen so far."""

    def __init__(self, rows: Sequence[Row] = (), seen: Iterable[int] = ()) -> None:
        self.lines = set(seen)
        """The lines that were on screen, counted from 1."""
        self.seconds: defaultdict[int, float] = defaultdict(float)
        """For how long each line, counted from 1, was on screen since this was last taken."""
        self._rows = rows
        self._attention: dict[int, float] = {}
        """The seconds that rows had so far which do not count yet."""
        self._shown: set[int] = set()
        self._left = Counter(row.line for row in rows)

    @property
    def part(self) -> float:
        """The part of the rows that was on screen: 1 once all of them were."""
        return len(self._shown) / len(self._rows) if self._rows else 0.0

    @property
    def first_unseen(self) -> int | None:
        """The first row that was not on screen; None where all were."""
        return next((index for index in range(len(self._rows)) if index not in self._shown), None)

    def note(self, first: int, end: int, seconds: float = 0.0, needed: float = 0.0) -> None:
        """Note that the rows from `first` up to `end` were on screen for `seconds`.

        A row that is new counts once its share of the time is `needed` seconds.
        """
        on_screen = range(max(0, first), min(end, len(self._rows)))
        for line in {self._rows[index].line for index in on_screen}:
            self.seconds[line + 1] += seconds
        new = self._new(on_screen)
        for index in new:
            had = self._attention.get(index, 0.0) + seconds / len(new)
            if had >= needed - TOLERANCE:
                self._show(index)
            else:
                self._attention[index] = had

    def seconds_left(self, first: int, end: int, needed: float) -> float:
        """Return for how long the rows from `first` up to `end` have to stay until all count."""
        new = self._new(range(max(0, first), min(end, len(self._rows))))
        return sum(needed - self._attention.get(index, 0.0) for index in new)

    def _new(self, rows: Iterable[int]) -> list[int]:
        return [index for index in rows if index not in self._shown]

    def _show(self, index: int) -> None:
        self._shown.add(index)
        self._attention.pop(index, None)
        line = self._rows[index].line
        self._left[line] -= 1
        if not self._left[line]:
            self.lines.add(line + 1)

    def laid_out(self, rows: Sequence[Row]) -> VisibilityTracker:
        """Return a tracker for other rows of the same lines; lines that were seen in part count as unseen."""
        again = VisibilityTracker(rows)
        again.seconds = self.seconds
        again.lines.update(line for line in self.lines if line - 1 not in again._left)
        for index, row in enumerate(rows):
            if row.line + 1 in self.lines:
                again._show(index)
        return again
