"""A table of a guest on a sheet: page by page, sorted by any column."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.safety.text import content
from console.tables.grid import TableGrid
from console.tables.pages import PageRequest, TablePage
from console.tables.reading import read_page
from engine.common.errors import Problem
from engine.common.text import Untrusted, many

PAGE_ROWS = 200


class TableScreen(ModalScreen[None]):
    """Shows the bytes of a table. Nothing of it is parsed in this process."""

    HELP_TITLE = "Table"
    HELP_WORDS = (
        "A file of CSV, TSV or JSON lines. Left and right choose a column, s sorts by it: up, down, as it "
        "is. n and p turn pages. The file is read in a process of its own with bounds on time and memory."
    )
    DEFAULT_CSS = """
    TableScreen .sheet { width: 98%; max-width: 100%; height: 94%; padding: 0 1; }
    TableScreen #about, TableScreen #heads { height: 1; }
    TableScreen #about { color: $muted; }
    TableScreen TableGrid { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "column(1)", "Column", id="table.right", tooltip="Choose the column to the right"),
        Binding("left,h", "column(-1)", "Left", id="table.left", show=False,
                tooltip="Choose the column to the left"),
        Binding("s", "sort", "Sort", id="table.sort", tooltip="Sort by the column: up, down, as it is"),
        Binding("n", "page(1)", "Next page", id="table.next", tooltip="Show the next page"),
        Binding("p", "page(-1)", "Previous", id="table.previous", tooltip="Show the page before"),
        Binding("escape,q", "leave", "Close", id="table.close", tooltip="Close"),
    ]  # fmt: skip

    def __init__(self, name: Untrusted, kind: str, data: bytes) -> None:
        super().__init__()
        self._file_name = name
        self._kind = kind
        self._data = data
        self._wanted = PageRequest(count=PAGE_ROWS)
        self._total = 0

    def compose(self) -> ComposeResult:
        """Lay out the names of the columns and the rows."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Table"
            sheet.border_subtitle = "← → column  s sorts  n p pages  Esc closes"
            yield Static("Reading …", id="about")
            yield Static(id="heads")
            yield TableGrid()

    def on_mount(self) -> None:
        """Show the first page."""
        self.query_one(TableGrid).focus()
        self._read()

    @work(exclusive=True)
    async def _read(self) -> None:
        try:
            page = await read_page(self._data, self._kind, self._wanted)
        except Problem as problem:
            self.query_one("#about", Static).update(content((str(problem), "warning")))
            return
        self._total = page.total
        self.query_one(TableGrid).show(page)
        self._describe(page)

    def _describe(self, page: TablePage) -> None:
        last = page.first + len(page.rows)
        place = f"  rows {page.first + 1:,} to {last:,} of {page.total:,}" if page.rows else "  no rows"
        columns = f"  {many(len(page.columns), 'column')}"
        self.query_one("#about", Static).update(content((self._file_name, "bold"), place, columns))
        self._show_heads()

    def _show_heads(self) -> None:
        grid, wanted = self.query_one(TableGrid), self._wanted
        self.query_one("#heads", Static).update(content(*grid.heads(wanted.column, wanted.descending)))

    def action_column(self, step: int) -> None:
        """Choose another column."""
        grid = self.query_one(TableGrid)
        grid.choose(grid.column + step)
        self._show_heads()

    def action_sort(self) -> None:
        """Sort by the chosen column: up, then down, then in the order of the file."""
        column, wanted = self.query_one(TableGrid).column, self._wanted
        if wanted.column != column:
            self._ask(0, column, descending=False)
        elif not wanted.descending:
            self._ask(0, column, descending=True)
        else:
            self._ask(0, None, descending=False)

    def action_page(self, step: int) -> None:
        """Turn a page, if there is one."""
        first = self._wanted.first + step * PAGE_ROWS
        if 0 <= first < self._total:
            self._ask(first, self._wanted.column, descending=self._wanted.descending)

    def _ask(self, first: int, column: int | None, *, descending: bool) -> None:
        self._wanted = PageRequest(first, PAGE_ROWS, column, descending)
        self._read()

    def action_leave(self) -> None:
        """Close the sheet."""
        self.dismiss(None)
