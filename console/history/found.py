"""The table of History with its marks: mark, compare, export, and the choice of columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from console.app.state import console_app
from console.history import columns
from console.history.table import Columns, HistoryTable
from console.widgets.formatting import size
from engine.common.text import many
from engine.models import Summary

MOST_MARKED = 80
"""So many submissions at most can be marked: for more there are searches."""


class FoundPane(Vertical):
    """Holds the table, and the keys for what is marked in it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "mark", "Mark", id="history.mark", tooltip="Mark it, or mark it no longer"),
        Binding("M", "mark_all", "Mark all", id="history.mark-all", show=False,
                tooltip="Mark all that are loaded (80 at most), or remove all marks"),
        Binding("equals_sign", "compare", "Compare", key_display="=", id="history.compare", show=False,
                tooltip="Compare the marked submission with this one"),
        Binding("x", "export", "Export", id="history.export",
                tooltip="Save the marked submissions as a table, events or case files"),
        Binding("C", "columns", "Columns", id="history.columns", show=False, tooltip="Choose the columns"),
    ]  # fmt: skip

    def compose(self) -> ComposeResult:
        """Lay out the names of the columns and the table."""
        yield Columns(id="columns")
        yield HistoryTable(id="table")

    def on_mount(self) -> None:
        """Show the columns that were chosen before."""
        self._show_columns(columns.load())

    @property
    def _table(self) -> HistoryTable:
        return self.query_one(HistoryTable)

    def _show_columns(self, chosen: tuple[str, ...]) -> None:
        names = self.query_one(Columns)
        names.chosen = self._table.chosen_columns = chosen
        names.on_resize()
        self._table.refresh()

    def action_mark(self) -> None:
        """Mark the submission under the cursor, or mark it no longer."""
        if self._table.chosen is not None:
            self._mark((self._table.chosen,))

    def action_mark_all(self) -> None:
        """Mark all that are loaded; where anything is marked, remove all marks."""
        table = self._table
        self._mark(tuple(table.marked.values()) or table.loaded[:MOST_MARKED])

    def _mark(self, rows: Iterable[Summary]) -> None:
        table, new = self._table, tuple(rows)
        if len(table.marked) >= MOST_MARKED and any(row.id not in table.marked for row in new):
            self.notify(f"{MOST_MARKED} are marked. For more, search and press R or i.", severity="warning")
            return
        table.mark(new)
        count = len(table.marked)
        self.border_subtitle = f"{count} marked: R responds, i incident, x exports" if count else ""

    def action_compare(self) -> None:
        """Compare two marked submissions, or the marked one with the one under the cursor."""
        from console.history.compare_runs import CompareRunsScreen  # noqa: PLC0415  on its first use

        marked, chosen = list(self._table.marked), self._table.chosen
        if not marked:
            self.notify("Mark a submission first: m", severity="warning")
        elif len(marked) > 1:
            self.app.push_screen(CompareRunsScreen(*marked[-2:]))
        elif chosen is not None:
            self.app.push_screen(CompareRunsScreen(marked[0], chosen.id))

    @work(exclusive=True, group="export")
    async def action_export(self) -> None:
        """Ask for the name of a file, and export the marked submissions or the one under the cursor."""
        from console.history.responding.export import export  # noqa: PLC0415  on its first use
        from console.history.responding.prompt import PromptScreen  # noqa: PLC0415  on its first use

        chosen = tuple(self._table.marked.values()) or tuple(filter(None, [self._table.chosen]))
        if not chosen:
            return
        about = f"{many(len(chosen), 'submission')}: .csv a table, .jsonl events, .zip case files. Recorded."
        name = await self.app.push_screen_wait(PromptScreen("Export as", about, "history.csv"))
        if name is not None:
            saved = await console_app(self).connection.call(lambda client: export(client, chosen, name))
            if saved is not None:
                self.notify(f"Saved {size(saved)} to {name}")

    @work(exclusive=True, group="columns")
    async def action_columns(self) -> None:
        """Choose the columns, and keep the choice."""
        from console.history.column_choice import ColumnsScreen  # noqa: PLC0415  on its first use

        table = self._table
        known = table.chosen_columns or columns.BROAD_ONES
        chosen = await self.app.push_screen_wait(ColumnsScreen(known))
        if chosen is None:
            return
        self._show_columns(chosen)
        try:
            columns.save(chosen)
        except OSError as error:
            self.notify(f"{columns.file()} cannot be written: {error.strerror}", severity="error")
