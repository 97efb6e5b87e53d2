"""History: everything that was ever handed in, decided and run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.history import saved_searches
from console.history.facet_list import FacetList, narrowed
from console.history.filter_line import FilterLine
from console.history.searching import Searching
from console.history.table import PAGE, Columns, HistoryTable
from console.safety.text import content
from console.widgets.rows import Rows
from engine.client.client import Client
from engine.models import Summary, Verification


class HistoryScreen(Searching):
    """The place of who has to find out what happened."""

    NAME = "history"
    HELP_TITLE = "History"
    HELP_WORDS = (
        "Every submission with its decision and its run, the newest first. Enter opens one: who decided, "
        "why, what it wrote, what it used, and its events. / searches, F shows what there is among the "
        "found; Enter on a line there narrows the search. M marks one, = puts another beside it. T shows how "
        "the desk does. V reads the whole log again and proves that nothing in it was changed."
    )
    DEFAULT_CSS = """
    HistoryScreen #found { height: 1fr; }
    HistoryScreen #frame { width: 1fr; height: 1fr; }
    HistoryScreen #facets { width: 36; height: 1fr; display: none; }
    HistoryScreen.-facets #facets { display: block; }
    HistoryScreen.-narrow.-facets #frame { display: none; }
    HistoryScreen.-narrow #facets { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="history.open", tooltip="Open the submission under the cursor"),
        Binding(
            "slash", "filter", "Search", key_display="/", id="history.filter", tooltip="Search the history"
        ),
        Binding("f", "facets", "Facets", id="history.facets", tooltip="What there is among the found"),
        Binding("m", "mark", "Mark", id="history.mark", show=False, tooltip="Mark one to compare with"),
        Binding(
            "equals_sign", "beside", "Beside", key_display="=", id="history.beside", show=False,
            tooltip="Put the marked one and this one side by side",
        ),
        Binding("t", "trends", "Trends", id="history.trends", tooltip="How the desk does"),
        Binding("r", "reload", "Reload", id="history.reload", show=False, tooltip="Ask the engine again"),
        Binding(
            "V", "verify", "Verify", id="history.verify", tooltip="Read the whole log and prove it intact"
        ),
        Binding("ctrl+s", "keep", "Keep", id="history.keep", show=False,
                tooltip="Keep the search, or forget it"),
        Binding("escape", "leave", "Leave", id="history.leave", show=False,
                tooltip="Close the facets, then the search"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._marked: str | None = None

    def contents(self) -> Iterable[Widget]:
        """Lay out the search line, the table, and what there is among the found."""
        yield FilterLine(id="line")
        with Horizontal(id="found"):
            with Vertical(id="frame", classes="box"):
                yield Columns(id="columns")
                yield HistoryTable(id="table")
            yield FacetList(id="facets")

    def on_mount(self) -> None:
        """Show the newest, and follow what changes."""
        super().on_mount()
        self.query_one("#frame").border_title = "History"
        self.query_one(HistoryTable).focus()
        self.query_one(FacetList).keep(saved_searches.load())
        self.watch(self.app, "queue", self._changed, init=False)
        self.watch(self.app, "connection_state", self._changed)

    def _changed(self) -> None:
        table = self.query_one(HistoryTable)
        if console_app(self).connection_state == "connected" and table.scroll_offset.y == 0:
            self._fetch(0, None, fresh=True)

    @on(HistoryTable.Counted)
    def _counted(self, message: HistoryTable.Counted) -> None:
        set_border_title(self.query_one("#frame"), content(message.words))

    @on(HistoryTable.PageWanted)
    def _wanted(self, message: HistoryTable.PageWanted) -> None:
        self._fetch(message.number, message.before)

    @work(group="page")
    async def _fetch(self, number: int, before: str | None, *, fresh: bool = False) -> None:
        wanted = self._filter
        rows = await console_app(self).connection.call(lambda client: client.history(wanted, before, PAGE))
        if rows is not None and wanted == self._filter:
            self._put(number, rows, fresh=fresh)

    def _put(self, number: int, rows: tuple[Summary, ...], *, fresh: bool) -> None:
        table = self.query_one(HistoryTable)
        if fresh:
            kept = table.chosen
            table.clear()
            table.put(number, rows)
            places = [index for index, row in enumerate(rows) if kept and row.id == kept.id]
            table.cursor = places[0] if places else 0
        else:
            table.put(number, rows)

    def action_reload(self) -> None:
        """Ask again from the newest on."""
        table = self.query_one(HistoryTable)
        table.scroll_to(y=0, animate=False)
        self._fetch(0, None, fresh=True)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        """Open what was chosen in the table, or search for what was chosen beside it."""
        if not isinstance(message.rows, FacetList):
            self.action_open()
        elif (facet := message.rows.chosen) and facet.term:
            self.search(narrowed(self._filter, facet))

    def action_open(self) -> None:
        """Open the submission under the cursor."""
        from console.history.case import CaseScreen  # noqa: PLC0415  on its first use

        chosen = self.query_one(HistoryTable).chosen
        if chosen is not None:
            self.app.push_screen(CaseScreen(chosen.id))

    def action_mark(self) -> None:
        """Mark the submission under the cursor, to put another one beside it."""
        chosen = self.query_one(HistoryTable).chosen
        if chosen is not None:
            self._marked = chosen.id
            self.notify(f"{chosen.id} is marked; = puts another beside it")

    def action_beside(self) -> None:
        """Put the marked submission and the one under the cursor side by side."""
        from console.history.compare_runs import CompareRunsScreen  # noqa: PLC0415  on its first use

        chosen = self.query_one(HistoryTable).chosen
        if self._marked is None:
            self.notify("Mark one first: m", severity="warning")
        elif chosen is not None:
            self.app.push_screen(CompareRunsScreen(self._marked, chosen.id))

    def action_trends(self) -> None:
        """Show how the desk does."""
        from console.history.trends import TrendsScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(TrendsScreen())

    @work(exclusive=True, group="verify")
    async def action_verify(self) -> None:
        """Have the whole log read."""
        self.query_one("#frame").border_subtitle = "reading the whole log …"
        found = await console_app(self).connection.call(self._read)
        self.query_one("#frame").border_subtitle = ""
        if found is not None:
            words = f"{found.events:,} events, intact" if found.intact else f"BROKEN: {found.problem}"
            self.notify(words, severity="information" if found.intact else "error", timeout=10)

    async def _read(self, client: Client) -> Verification | None:
        async with contextlib.aclosing(client.verifying()) as steps:
            async for step in steps:
                share = 100 * step.done // max(step.total, 1)
                self.query_one("#frame").border_subtitle = f"verified {step.done:,} events, {share} %"
                if step.found:
                    return step.found
        return None
