"""Finds and replaces in the editor."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from textual.widgets.text_area import Selection

from console.explore.editor import Editor
from console.explore.find.matches import MOST_MATCHES, Match, Query
from console.explore.find.places import Offsets, columns_by_line
from console.safety.text import Part
from engine.common.text import Untrusted


class Finder:
    """The matches of a query in the editor, one of them selected."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._query = Query("")
        self._matches: tuple[Match, ...] = ()
        self._offsets = Offsets([""])
        self._problem = ""
        self._at = 0

    def sentence(self) -> list[Part]:
        """Return how much was found, or what is wrong with the expression."""
        if self._problem:
            return [("no expression: ", "error"), Untrusted(self._problem)]
        count = len(self._matches)
        most = "first " if count == MOST_MATCHES else ""
        position = f"{self._at:,} of " if self._at else ""
        return [f"{position}{most}{count:,} found"] if self._query.typed else []

    def search(self, typed: str) -> None:
        """Find what was typed, and mark it."""
        self._query, self._at, self._problem = Query(typed), 0, ""
        lines = self._editor.document.lines
        self._offsets = Offsets(lines)
        try:
            self._matches = self._query.matches("\n".join(lines))
        except ValueError as error:
            self._matches, self._problem = (), str(error)
        self._editor.show_found(columns_by_line(self._matches, self._offsets, lines))

    def step(self, step: int) -> None:
        """Select the next match after the cursor, or the one before it; after the last comes the first."""
        if not self._matches:
            return
        start, end = (self._offsets.offset(place) for place in sorted(self._editor.selection))
        if step > 0:
            at = bisect_left([match.start for match in self._matches], end)
        else:
            at = bisect_right([match.end for match in self._matches], start) - 1
        self._select(at % len(self._matches))

    def replace(self, by: str) -> None:
        """Replace the selected match, if one is, and select the next one."""
        start, end = sorted(self._editor.selection)
        span = (self._offsets.offset(start), self._offsets.offset(end))
        match = next((each for each in self._matches if (each.start, each.end) == span), None)
        if match is not None:
            self._editor.replace_in_one_step(self._query.replacement(match, by), start, end)
            self.search(self._query.typed)
        self.step(1)

    def replace_all(self, by: str) -> int:
        """Replace every match in one step, and return how many there were."""
        editor, count = self._editor, len(self._matches)
        if count:
            text, place = self._query.replaced("\n".join(editor.document.lines), by), editor.cursor_location
            editor.replace_in_one_step(text, (0, 0), editor.document.end)
            editor.move_cursor(editor.clamp_visitable(place))
            self.search(self._query.typed)
        return count

    def _select(self, index: int) -> None:
        match = self._matches[index]
        start, end = (self._offsets.location(at) for at in (match.start, match.end))
        self._editor.selection = Selection(start, end)
        self._editor.scroll_cursor_visible(center=True)
        self._at = index + 1
