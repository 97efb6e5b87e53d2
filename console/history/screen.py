"""The History screen: every submission, decision and run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.history import saved_searches
from console.history.facet_list import FacetList, narrowed
from console.history.filter_line import FilterLine
from console.history.found import FoundPane
from console.history.preview import CasePreview
from console.history.responding.pane import RespondingPane
from console.history.responding.selection import Selection, selected
from console.history.search import HistorySearch
from console.history.table import PAGE, HistoryTable
from console.safety.text import content
from console.widgets.rows import Rows
from engine.client.client import Client
from engine.common.text import visible
from engine.models import Summary, Verification
from engine.models.history import Total


class HistoryScreen(BaseScreen):
    """Lists, searches, compares and verifies what happened."""

    NAME = "history"
    HELP_TITLE = "History"
    HELP_WORDS = (
        "Every submission with its decision and its run, newest first. Enter opens one: who decided and why, "
        "its output, resources and events. / searches; f shows facets, and Enter on a facet narrows the "
        "search. o sorts, C chooses columns. m and M mark; = compares, x exports, R responds, i adds to an "
        "incident, n notes, T tags: what is marked, else the search or the one under the cursor. b lists "
        "blocks, E legal holds, and erases; A asks of the past. t shows metrics. V verifies the event log."
    )
    DEFAULT_CSS = """
    HistoryScreen #found { height: 1fr; }
    HistoryScreen #acting { width: 3fr; height: 1fr; }
    HistoryScreen #frame { width: 1fr; height: 1fr; }
    HistoryScreen.-wide CasePreview { display: block; }
    HistoryScreen #facets { width: 36; height: 1fr; display: none; }
    HistoryScreen.-facets #facets { display: block; }
    HistoryScreen.-narrow.-facets #acting { display: none; }
    HistoryScreen.-narrow #facets { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="history.open", tooltip="Open the submission under the cursor"),
        Binding(
            "slash", "filter", "Search", key_display="/", id="history.filter", tooltip="Search the history"
        ),
        Binding("f", "facets", "Facets", id="history.facets", tooltip="Count and filter by value"),
        Binding("t", "trends", "Trends", id="history.trends", tooltip="Show metrics over time"),
        Binding("o", "sort", "Sort", id="history.sort", show=False, tooltip="Sort by the next column"),
        Binding("r", "reload", "Reload", id="history.reload", show=False, tooltip="Load again"),
        Binding(
            "V", "verify", "Verify", id="history.verify", tooltip="Verify the whole event log"
        ),
        Binding("S", "share_search", "Share", id="history.share-search", show=False,
                tooltip="Share the search with all responders, or share it no longer"),
        Binding("ctrl+s", "save_search", "Save search", id="history.save-search", show=False,
                tooltip="Save the search, or remove it"),
        Binding("escape", "leave", "Close", id="history.leave", show=False,
                tooltip="Close the facets, then the search"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._total: Total | None = None
        """How many match, where that is more than is loaded at first."""
        self._search = HistorySearch(self, self.action_reload)

    def contents(self) -> Iterable[Widget]:
        """Lay out the search line, the table and the facets."""
        yield FilterLine(id="line")
        with Horizontal(id="found"):
            with RespondingPane(self._selected, id="acting"):
                yield FoundPane(id="frame", classes="box")
            yield FacetList(id="facets")
            yield CasePreview()

    def on_mount(self) -> None:
        """Show the newest submissions, and follow changes."""
        super().on_mount()
        self.query_one("#frame").border_title = "History"
        self.query_one(HistoryTable).focus()
        self.query_one(FacetList).show_saved(saved_searches.load())
        self.watch(self.app, "queue", self._changed, init=False)
        self.watch(self.app, "connection_state", self._changed)

    def _changed(self) -> None:
        table = self.query_one(HistoryTable)
        if console_app(self).connection_state == "connected" and table.scroll_offset.y == 0:
            self._fetch(0, None, fresh=True)

    @on(HistoryTable.Counted)
    def _counted(self, message: HistoryTable.Counted) -> None:
        self._show_title(message.title)

    def _show_title(self, loaded: str) -> None:
        total = self._total
        title = f"History {'' if total.exact else 'at least '}{total.count:,}" if total else loaded
        set_border_title(self.query_one("#frame"), content(title))

    @on(HistoryTable.PageWanted)
    def _wanted(self, message: HistoryTable.PageWanted) -> None:
        self._fetch(message.number, message.before)

    @work(group="page")
    async def _fetch(self, number: int, before: str | None, *, fresh: bool = False) -> None:
        wanted = (self._search.filter, self._search.sort)
        rows = await console_app(self).connection.call(
            lambda client: client.history.search(wanted[0], before, PAGE, wanted[1])
        )
        if rows is not None and wanted == (self._search.filter, self._search.sort):
            self._put(number, rows, fresh=fresh)
            if fresh:
                await self._count(wanted[0], more=len(rows) == PAGE)

    async def _count(self, wanted: str, *, more: bool) -> None:
        """Show how many submissions match, where they are more than one page."""
        self._total = None
        if more:
            self._total = await console_app(self).connection.call(lambda client: client.history.total(wanted))
            if self._total is not None:
                self._show_title("")

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
        self._preview()

    def on_rows_moved(self) -> None:
        """Show what the cursor is on."""
        self._preview()

    def on_resize(self) -> None:
        """Show it, too, where the screen became broad."""
        self.call_after_refresh(self._preview)

    def _preview(self) -> None:
        chosen = self.query_one(HistoryTable).chosen
        self.query_one(CasePreview).show(chosen.id if chosen else None)

    # --- search -----------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open the search line."""
        self._search.open()

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._search.sort_next()

    def action_facets(self) -> None:
        """Show or hide the facets."""
        self._search.toggle_facets()

    def action_save_search(self) -> None:
        """Save the search, or remove it from the saved ones."""
        self._search.toggle_saved()

    def action_share_search(self) -> None:
        """Share the search with all responders, or share it no longer."""
        self._search.share()

    def action_leave(self) -> None:
        """Close the facets, then the search."""
        self._search.close()

    @on(Input.Changed, "#filter")
    def _typed(self, message: Input.Changed) -> None:
        self._search.explain(message.value)

    @on(Input.Submitted, "#filter")
    def _submitted(self, message: Input.Submitted) -> None:
        self._search.apply(message.value.strip())
        self.query_one(HistoryTable).focus()

    # --- actions ----------------------------------------------------------------------------------

    def action_reload(self) -> None:
        """Load again from the newest on."""
        table = self.query_one(HistoryTable)
        table.scroll_to(y=0, animate=False)
        self._fetch(0, None, fresh=True)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        """Open the chosen submission, or narrow the search to the chosen facet."""
        if not isinstance(message.rows, FacetList):
            self.action_open()
        elif (facet := message.rows.chosen) and facet.term:
            self._search.apply(narrowed(self._search.filter, facet))

    def action_open(self) -> None:
        """Open the submission under the cursor."""
        from console.history.case import CaseScreen  # noqa: PLC0415  on its first use

        chosen = self.query_one(HistoryTable).chosen
        if chosen is not None:
            self.app.push_screen(CaseScreen(chosen.id, leads_on=True), self._pivoted)

    def _pivoted(self, query: str | None) -> None:
        """Search for what a case led to."""
        if query:
            self._search.apply(query)

    @on(RespondingPane.SearchWanted)
    def _search_wanted(self, message: RespondingPane.SearchWanted) -> None:
        self._search.apply(message.query)

    def _selected(self, search: bool) -> Selection | None:
        """Return what responders act on."""
        table = self.query_one(HistoryTable)
        return selected(tuple(table.marked), self._search.filter if search else "", table.chosen)

    def action_trends(self) -> None:
        """Show metrics over time."""
        from console.history.trends import TrendsScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(TrendsScreen(), self._pivoted)

    @work(exclusive=True, group="verify")
    async def action_verify(self) -> None:
        """Verify the whole event log."""
        self.query_one("#frame").border_subtitle = "verifying …"
        found = await console_app(self).connection.call(self._verify)
        self.query_one("#frame").border_subtitle = ""
        if found is not None:
            message = visible(found.statement)
            self.notify(
                message, severity="information" if found.intact else "error", timeout=20, markup=False
            )

    async def _verify(self, client: Client) -> Verification | None:
        async with contextlib.aclosing(client.history.verify_with_progress()) as steps:
            async for step in steps:
                share = 100 * step.done // max(step.total, 1)
                self.query_one("#frame").border_subtitle = f"verified {step.done:,} events, {share} %"
                if step.found:
                    return step.found
        return None
