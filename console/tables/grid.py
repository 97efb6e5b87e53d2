"""The rows of one page of a table, under the names of its columns."""

from __future__ import annotations

from rich.cells import cell_len

from console.safety.text import Part, clip, pad, visible_text
from console.tables.pages import TablePage
from console.widgets.rows import Rows
from engine.common.text import Untrusted

WIDEST = 32
NARROWEST = 3
SPACE = 2
ORDERS = {None: "", False: "↑", True: "↓"}
"""What stands beside the name of the column that the rows are sorted by."""


class TableGrid(Rows):
    """Shows a page; one column is chosen, and the columns before `left` are scrolled out of view."""

    def __init__(self) -> None:
        super().__init__(id="grid")
        self._page = TablePage((), (), 0, 0)
        self._widths: list[int] = []
        self.column = 0
        """The chosen column."""
        self._left = 0

    @property
    def count(self) -> int:
        """How many rows the page has."""
        return len(self._page.rows)

    def show(self, page: TablePage) -> None:
        """Show another page."""
        self._page = page
        self._widths = _widths(page)
        self.cursor = 0
        self.choose(self.column)
        self.refit()
        self.refresh()

    def choose(self, column: int) -> None:
        """Choose a column and scroll to it."""
        self.column = max(0, min(column, len(self._widths) - 1))
        self._left = min(self._left, self.column)
        while self._left < self.column and self._span(self._left, self.column) > self.size.width - 1:
            self._left += 1
        self.refresh()

    def _span(self, first: int, last: int) -> int:
        return sum(width + SPACE for width in self._widths[first : last + 1])

    def heads(self, sorted_by: int | None, descending: bool) -> list[Part]:
        """Return the line of names above the rows."""
        parts: list[Part] = [" "]
        for at, name in list(enumerate(self._page.columns))[self._left :]:
            order = ORDERS[descending] if at == sorted_by else ""
            style = "bold reverse" if at == self.column else "bold"
            width = self._widths[at]
            shown = clip(visible_text(name), width - cell_len(order)) + order
            parts += [(Untrusted(_padded(shown, width)), style), " " * SPACE]
        return parts

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw one row."""
        row = self._page.rows[index]
        cells = list(zip(row, self._widths, strict=True))[self._left :]
        return [" ", *(pad(Untrusted(cell), wide) + " " * SPACE for cell, wide in cells)]


def _widths(page: TablePage) -> list[int]:
    """Return the cells that each column takes, one more than its name for the sign of the order."""
    texts = zip(page.columns, *page.rows, strict=True)
    return [
        max(NARROWEST, min(WIDEST, max(cell_len(visible_text(text[:WIDEST])) for text in column) + 1))
        for column in texts
    ]


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))
