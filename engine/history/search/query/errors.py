"""What cannot be understood of a query, where, and what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from engine.history.errors import HistoryError


class QueryError(HistoryError):
    """A query cannot be understood; `position` is the character (from 0) at which."""

    def __init__(self, text: str, position: int, problem: str, *, hint: str = "") -> None:
        super().__init__(f"{problem}, at character {position + 1} of the query", hint=hint)
        self.text = text
        self.problem = problem
        self.position = position


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return which of the known words was probably meant, or all of them."""
    listed = tuple(known)
    near = difflib.get_close_matches(word[:40], listed, 1)
    return f"Did you mean {near[0]}?" if near else f"One of: {', '.join(listed)}"
