"""The rows that code takes on a screen: its lines wrapped, without those that are folded. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from console.code_view.folds import Folds
from console.code_view.lines import Row, split_lines, width_of, wrap
from console.code_view.visibility import VisibilityTracker

MAX_READ_FOLDED = 0.99
"""Code with a folded part was not read to its end."""


class CodeLayout:
    """The lines of one code, the rows that they take, and which of them were on screen.

    Lines are counted from 0, except in `seen` and `seen_lines`, which count from 1.
    """

    def __init__(self, code: str | None = None, seen: Iterable[int] = ()) -> None:
        self.lines = split_lines(code) if code is not None else []
        self.rows: list[Row] = []
        self.width: int | None = None
        """The cells of a row; None where each line takes one row, however long."""
        self.longest = 0
        """The cells of the longest line; 0 while lines are wrapped."""
        self._folds = Folds(self.lines)
        self._visibility = VisibilityTracker(seen=seen)

    def lay_out(self, width: int | None) -> None:
        """Make rows of `width` cells, or one of each line; keep the record of what was on screen."""
        self.width = width
        self.longest = max(map(width_of, self.lines), default=0) if width is None else 0
        self.rows = self._folds.kept(wrap(self.lines, width))
        self._visibility = self._visibility.laid_out(self.rows)

    def line_at(self, row: int) -> int:
        """Return the line of a row; the first line where there is no such row."""
        return self.rows[row].line if row < len(self.rows) else 0

    def row_of(self, line: int) -> int:
        """Return the first row of a line, or of the next line that has one."""
        return next((index for index, row in enumerate(self.rows) if row.line >= line), 0)

    def visible(self, line: int, top: int, height: int) -> bool:
        """Say whether a row of `line` is among the `height` rows from `top`."""
        return any(row.line == line for row in self.rows[top : top + height])

    # --- folding ----------------------------------------------------------------------------------

    def fold(self, line: int) -> int | None:
        """Fold the innermost open block at a line; return its first line, or None where there is no block."""
        first = self._folds.around(line)
        if first is not None:
            self._folds.fold(first)
        return first

    def unfold(self, line: int) -> bool:
        """Open the blocks that hide a line; False where none does."""
        return self._folds.open(line)

    def unfold_all(self) -> None:
        """Open every block."""
        self._folds.open_all()

    # --- what was on screen -----------------------------------------------------------------------

    def note_visible(self, top: int, height: int, seconds: float = 0.0, needed: float = 0.0) -> None:
        """Note that the `height` rows from `top` were on screen for `seconds`; a new one needs `needed`."""
        self._visibility.note(top, top + height, seconds, needed)

    def seconds_left(self, top: int, height: int, needed: float) -> float:
        """Return for how long the `height` rows from `top` have to stay on screen until all count."""
        return self._visibility.seconds_left(top, top + height, needed)

    def take_seconds(self) -> dict[int, float]:
        """Return for how long each line, counted from 1, was on screen since this was last asked."""
        taken = dict(self._visibility.seconds)
        self._visibility.seconds.clear()
        return taken

    @property
    def read(self) -> float:
        """Return the part of the rows that was on screen: 1 once every one was, and none is folded."""
        part = self._visibility.part
        return min(part, MAX_READ_FOLDED) if self._folds else part

    @property
    def seen_lines(self) -> frozenset[int]:
        """Return the lines that were on screen from their first character to their last."""
        return frozenset(self._visibility.lines)

    @property
    def first_unread_row(self) -> int | None:
        """Return the first row that was not on screen; None where all were."""
        return self._visibility.first_unseen
