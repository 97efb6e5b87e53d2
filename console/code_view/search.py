"""Search in code: the matches, and which of them is the current one."""

from __future__ import annotations

from collections.abc import Sequence

from console.code_view.lines import find


class CodeSearch:
    """The matches of one search."""

    def __init__(self, lines: Sequence[str] = (), text: str = "") -> None:
        self._matches = find(lines, text) if text else []
        self._current = -1

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def by_line(self) -> dict[int, list[tuple[int, int]]]:
        """Return where the matches of each line start and end; lines are counted from 0."""
        by_line: dict[int, list[tuple[int, int]]] = {}
        for line, start, end in self._matches:
            by_line.setdefault(line, []).append((start, end))
        return by_line

    def step(self, step: int) -> int | None:
        """Make the next or previous match the current one; return its line, or None without matches."""
        if not self._matches:
            return None
        self._current = (self._current + step) % len(self._matches)
        return self._matches[self._current][0]
