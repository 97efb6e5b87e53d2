"""The History table; it fetches pages while scrolling and drops distant ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from console.history.columns import drawn, shown, used
from console.safety.text import Part, clip, content
from console.widgets.offline_rows import OfflineRows
from engine.models import Summary

PAGE = 200
KEPT_PAGES = 64
AHEAD = 3 * PAGE
"""Rows that are fetched ahead below the visible ones, so that a held key does not wait."""
SHOW_SECONDS = 0.3
"""Rows fetched ahead are shown after this time or on the next key: an extra frame would delay a held key."""
Page = tuple[Summary, ...]


class HistoryTable(OfflineRows):
    """One row per submission, newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No submissions.", "bold success")],
        [],
        [("Every submission, decision and run is recorded here, in a log", "muted")],
        [("that shows any change to its records. Press / to search.", "muted")],
    )

    @dataclass
    class PageWanted(Message):
        """Rows are needed: page `number`, those before the submission `before`."""

        number: int
        before: str | None

    @dataclass
    class Counted(Message):
        """The title: how many rows are loaded."""

        title: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._later: Timer | None = None
        self.marked: dict[str, Summary] = {}
        """The marked submissions by ID, in the order in which they were marked."""
        self.chosen_columns: tuple[str, ...] = ()
        self.clear()

    def clear(self) -> None:
        """Drop every page."""
        self._pages: OrderedDict[int, Page] = OrderedDict()
        self._keys: list[str | None] = [None]
        self._total = 0
        self._ended = False
        self._asked: set[int] = set()

    @property
    def count(self) -> int:
        """How many rows are loaded."""
        return self._total

    @property
    def chosen(self) -> Summary | None:
        """The submission under the cursor, if its page is loaded."""
        return self._row(self.cursor) if self._total else None

    @property
    def loaded(self) -> tuple[Summary, ...]:
        """The submissions whose pages are loaded."""
        return tuple(row for page in self._pages.values() for row in page)

    def mark(self, rows: Iterable[Summary]) -> None:
        """Mark submissions, and unmark those that were."""
        for row in rows:
            if self.marked.pop(row.id, None) is None:
                self.marked[row.id] = row
        self.refresh()

    def put(self, number: int, rows: Page) -> None:
        """Add a page; a short one is the last."""
        self._asked.discard(number)
        self._pages[number] = rows
        self._pages.move_to_end(number)
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        if number == len(self._keys) - 1:
            self._total += len(rows)
            self._ended = len(rows) < PAGE
            if not self._ended:
                self._keys.append(rows[-1].id)
        if number == 0 or self._on_screen(number):
            self._show_rows()
        elif self._later is None:
            self._later = self.set_timer(SHOW_SECONDS, self._show_rows)

    def watch_cursor(self, old: int, new: int) -> None:
        """Show the rows fetched ahead, and the row under the cursor."""
        if self._later is not None:
            self._show_rows()
        super().watch_cursor(old, new)

    def _on_screen(self, number: int) -> bool:
        top = self.scroll_offset.y
        return top // PAGE <= number <= (top + self.size.height) // PAGE

    def _show_rows(self) -> None:
        """Update the title and the scroll range."""
        if self._later is not None:
            self._later.stop()
            self._later = None
        more = "" if self._ended else "+"
        self.post_message(self.Counted(f"History {self._total:,}{more}" if self._total else "History"))
        self.refit()

    def _row(self, index: int) -> Summary | None:
        number, place = divmod(index, PAGE)
        page = self._pages.get(number)
        if page is None:
            self._ask(number)
            return None
        if not self._ended and index > max(PAGE // 4, self._total - AHEAD):
            self._ask(len(self._keys) - 1)
        return page[place] if place < len(page) else None

    def _ask(self, number: int) -> None:
        if number not in self._asked and number < len(self._keys):
            self._asked.add(number)
            self.post_message(self.PageWanted(number, self._keys[number]))

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a submission: time, risk, outcome, requester, reviewer and first line of code."""
        row = self._row(index)
        if row is None:
            return [("  …", "faint")]
        columns = shown(self.chosen_columns, width)
        sign: Part = ("◆", "bold accent") if row.id in self.marked else " "
        parts: list[Part] = [" ", sign, *drawn(columns, row)]
        left = width - used(columns) - 3
        parts.append((clip(row.first_line, max(4, left)), "muted"))
        return parts


class Columns(Static):
    """The names of the columns."""

    DEFAULT_CSS = "Columns { height: 1; }"
    chosen: tuple[str, ...] = ()

    def on_resize(self) -> None:
        """Fit to the new width."""
        names = "".join(f"{column.title:<{column.cells}} " for column in shown(self.chosen, self.size.width))
        self.update(content((f"  {names}first line", "faint")))
