"""History: everything that was ever handed in, decided and run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input

from console.screens.place import Place
from console.state import console
from console.widgets.history_table import PAGE, Columns, HistoryTable
from engine.models import Summary


class HistoryScreen(Place):
    """The place of who has to find out what happened."""

    NAME = "history"
    HELP_TITLE = "History"
    HELP_WORDS = (
        "Every submission with its decision and its run, the newest first. Enter opens one: who decided, "
        "why, what it wrote, what it used, and its events. V reads the whole log again and proves that "
        "nothing in it was changed."
    )
    DEFAULT_CSS = """
    HistoryScreen #filter { dock: top; margin-top: 1; display: none; }
    HistoryScreen #filter.-open { display: block; }
    HistoryScreen #frame { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="history.open", tooltip="Open the submission under the cursor"),
        Binding(
            "slash", "filter", "Search", key_display="/", id="history.filter", tooltip="Search the history"
        ),
        Binding("r", "reload", "Reload", id="history.reload", tooltip="Ask the engine again"),
        Binding(
            "V", "verify", "Verify", id="history.verify", tooltip="Read the whole log and prove it intact"
        ),
        Binding("escape", "leave", "Leave", id="history.leave", show=False, tooltip="Close the search"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._filter = ""

    def contents(self) -> Iterable[Widget]:
        """Lay out the search line and the table."""
        yield Input(id="filter", placeholder="Search; Enter searches, Esc closes", select_on_focus=False)
        with Vertical(id="frame", classes="box"):
            yield Columns(id="columns")
            yield HistoryTable(id="table")

    def on_mount(self) -> None:
        """Show the newest, and follow what changes."""
        super().on_mount()
        self.query_one("#frame").border_title = "History"
        self.query_one(HistoryTable).focus()
        self.watch(self.app, "queue", self._changed, init=False)
        self.watch(self.app, "link", self._changed)

    def _changed(self) -> None:
        table = self.query_one(HistoryTable)
        if console(self).link == "connected" and table.scroll_offset.y == 0:
            self._fetch(0, None, fresh=True)

    @on(HistoryTable.Counted)
    def _counted(self, message: HistoryTable.Counted) -> None:
        self.query_one("#frame").border_title = message.words

    @on(HistoryTable.PageWanted)
    def _wanted(self, message: HistoryTable.PageWanted) -> None:
        self._fetch(message.number, message.before)

    @work(group="page")
    async def _fetch(self, number: int, before: str | None, *, fresh: bool = False) -> None:
        wanted = self._filter
        rows = await console(self).ask(lambda client: client.history(wanted, before, PAGE))
        if rows is not None and wanted == self._filter:
            self._put(number, rows, fresh=fresh)

    def _put(self, number: int, rows: tuple[Summary, ...], *, fresh: bool) -> None:
        table = self.query_one(HistoryTable)
        if fresh:
            kept = table.chosen
            table.clear()
            table.put(number, rows)
            places = [index for index, row in enumerate(rows) if kept and row.id == kept.id]
            table.cursor = places[0] if places else table.cursor
        else:
            table.put(number, rows)

    def action_reload(self) -> None:
        """Ask again from the newest on."""
        table = self.query_one(HistoryTable)
        table.scroll_to(y=0, animate=False)
        self._fetch(0, None, fresh=True)

    def on_rows_chosen(self) -> None:
        """Open what was chosen in the table."""
        self.action_open()

    def action_open(self) -> None:
        """Open the submission under the cursor."""
        from console.screens.case import CaseScreen  # noqa: PLC0415  on its first use

        chosen = self.query_one(HistoryTable).chosen
        if chosen is not None:
            self.app.push_screen(CaseScreen(chosen.id))

    def action_filter(self) -> None:
        """Open the search line."""
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.focus()

    @on(Input.Submitted, "#filter")
    def _filtered(self, message: Input.Submitted) -> None:
        self._filter = message.value.strip()
        self.query_one("#frame").border_subtitle = "filtered; / changes it" if self._filter else ""
        self.action_reload()
        self.query_one(HistoryTable).focus()

    def action_leave(self) -> None:
        """Close the search and show everything."""
        line = self.query_one("#filter", Input)
        line.remove_class("-open")
        self.query_one(HistoryTable).focus()
        if self._filter:
            self._filter, line.value = "", ""
            self.query_one("#frame").border_subtitle = ""
            self.action_reload()

    @work(exclusive=True, group="verify")
    async def action_verify(self) -> None:
        """Have the whole log read."""
        self.notify("Reading the whole log …")
        found = await console(self).ask(lambda client: client.verify())
        if found is not None:
            words = f"{found.events:,} events, intact" if found.intact else f"BROKEN: {found.problem}"
            self.notify(words, severity="information" if found.intact else "error", timeout=10)
