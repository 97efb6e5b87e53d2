"""Searching the history: the line to type in, what there is among the found, and searches that are kept."""

from __future__ import annotations

from textual import on, work
from textual.widgets import Input

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.history import saved_searches
from console.history.facet_list import FacetList
from console.history.filter_line import FilterInput, FilterLine
from console.history.table import HistoryTable


class Searching(BaseScreen):
    """A place with a search line above its table, and facets beside it."""

    def __init__(self) -> None:
        super().__init__()
        self._filter = ""

    def action_reload(self) -> None:
        """Ask again from the newest on."""
        raise NotImplementedError

    def action_filter(self) -> None:
        """Open the search line."""
        self.query_one(FilterLine).add_class("-open")
        self.query_one(FilterInput).focus()

    def action_facets(self) -> None:
        """Show or hide what there is among the found."""
        self.toggle_class("-facets")
        if self.has_class("-facets"):
            self._count()
            self.query_one(FacetList).focus()
        else:
            self.query_one(HistoryTable).focus()

    @work(exclusive=True, group="count")
    async def _count(self) -> None:
        wanted = self._filter
        facets = await console_app(self).connection.call(lambda client: client.facets(wanted))
        if wanted == self._filter:
            self.query_one(FacetList).show(facets)

    @on(Input.Changed, "#filter")
    def _typed(self, message: Input.Changed) -> None:
        self._help(message.value)

    @work(exclusive=True, group="help")
    async def _help(self, typed: str) -> None:
        offered = (
            await console_app(self).connection.call(lambda client: client.help_with(typed)) if typed else None
        )
        self.query_one(FilterLine).explain(offered)

    @on(Input.Submitted, "#filter")
    def _filtered(self, message: Input.Submitted) -> None:
        self.search(message.value.strip())
        self.query_one(HistoryTable).focus()

    def search(self, filter: str) -> None:
        """Show what fits to a filter; everything for an empty one."""
        self._filter = filter
        line = self.query_one(FilterInput)
        if line.value.strip() != filter:
            line.value = filter
        self.query_one(FilterLine).set_class(bool(filter), "-open")
        self.query_one("#frame").border_subtitle = "filtered; / changes it" if filter else ""
        self.query_one(HistoryTable).cursor = 0
        self.action_reload()
        if self.has_class("-facets"):
            self._count()

    def action_keep(self) -> None:
        """Keep the search that is typed or applied, or forget it."""
        typed = self.query_one(FilterInput).value.strip() or self._filter
        if not typed:
            return
        try:
            kept = saved_searches.toggle(typed)
        except OSError as error:
            self.notify(f"{saved_searches.file()} cannot be written: {error.strerror}", severity="error")
            return
        self.query_one(FacetList).keep(kept)
        self.notify("Kept; f lists it" if typed in kept else "Forgotten")

    def action_leave(self) -> None:
        """Close what there is among the found; else close the search and show everything."""
        if self.query_one(FacetList).has_focus:
            self.action_facets()
            return
        self.query_one(FilterLine).remove_class("-open")
        self.query_one(HistoryTable).focus()
        if self._filter:
            self.search("")
        self.query_one(FilterInput).value = ""
