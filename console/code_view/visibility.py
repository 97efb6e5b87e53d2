"""Which lines of code were on screen: a line counts once all its rows were on screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from console.code_view.lines import Row


class VisibilityTracker:
    """The rows and lines of one piece of code that were on screen so far."""

    def __init__(self, rows: Sequence[Row] = (), seen: Iterable[int] = ()) -> None:
        self.lines = set(seen)
        """The lines that were on screen, counted from 1."""
        self._rows = rows
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

    def note(self, first: int, end: int) -> None:
        """Note that the rows from `first` up to `end` are on screen."""
        for index in range(max(0, first), min(end, len(self._rows))):
            if index not in self._shown:
                self._shown.add(index)
                line = self._rows[index].line
                self._left[line] -= 1
                if not self._left[line]:
                    self.lines.add(line + 1)

    def laid_out(self, rows: Sequence[Row]) -> VisibilityTracker:
        """Return a tracker for other rows of the same lines; lines that were seen in part count as unseen."""
        again = VisibilityTracker(rows)
        again.lines.update(line for line in self.lines if line - 1 not in again._left)
        for index, row in enumerate(rows):
            if row.line + 1 in self.lines:
                again.note(index, index + 1)
        return again
