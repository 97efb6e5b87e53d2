"""A search in the output of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable

from console.run.terminal import plain


class OutputSearch:
    """The pattern, the lines that match it, and which match is current."""

    def __init__(self, words: str = "", lines: Iterable[tuple[int, str]] = ()) -> None:
        self.pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._matches = [
            number for number, text in lines if self.pattern is not None and self.pattern.search(plain(text))
        ]
        self._index = 0

    @property
    def count(self) -> int:
        """How many lines match."""
        return len(self._matches)

    @property
    def position(self) -> str:
        """Which match is current, such as `2 of 14 matches`."""
        return f"{min(self._index + 1, self.count):,} of {self.count:,} matches"

    def step(self, step: int) -> int | None:
        """Make the next (1) or previous (-1) match current; return its line number, None without a match."""
        if not self._matches:
            return None
        self._index = (self._index + step) % self.count
        return self._matches[self._index]
