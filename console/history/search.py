"""The search of the History screen: its input line, its facets and the saved searches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.screen import Screen

from console.app.state import console_app
from console.app.workers import run_in_background
from console.history import saved_searches
from console.history.facet_list import FacetList
from console.history.filter_line import FilterInput, FilterLine
from console.history.sharing import share
from console.history.sorting import ORDERS, following
from console.history.table import HistoryTable
from engine.client.client import Client
from engine.models import Facets

COUNTED = ("observed.host", "rule", "surprise")
"""Fields that are counted beside the columns."""


async def _facets(client: Client, wanted: str) -> Facets:
    """Return the facets of the columns and of what the runs did."""
    facets = await client.history.facets(wanted)
    facts = {field: (await client.history.counts(wanted, field)).counts for field in COUNTED}
    return Facets(total=facets.total, exact=facets.exact, counts={**facets.counts, **facts})


class HistorySearch:
    """Holds the filter that is applied, and shows and changes it on the screen."""

    def __init__(self, screen: Screen[None], reload: Callable[[], None]) -> None:
        self.filter = ""
        self.sort = ""
        self._screen = screen
        self._reload = reload

    def open(self) -> None:
        """Open the search line."""
        self._screen.query_one(FilterLine).add_class("-open")
        self._screen.query_one(FilterInput).focus()

    def apply(self, filter: str) -> None:
        """Show the submissions that match a filter; all of them for an empty one."""
        self.filter = filter
        line = self._screen.query_one(FilterInput)
        if line.value.strip() != filter:
            line.value = filter
        self._screen.query_one(FilterLine).set_class(bool(filter), "-open")
        self._describe()
        self._screen.query_one(HistoryTable).cursor = 0
        self._reload()
        if self._facets_open:
            self._count_facets()

    def sort_next(self) -> None:
        """Show the submissions in the next order."""
        self.sort = following(self.sort)
        self._describe()
        self._screen.query_one(HistoryTable).cursor = 0
        self._reload()

    def _describe(self) -> None:
        parts = ["filtered; / changes the search"] if self.filter else []
        parts += [f"{ORDERS[self.sort]}; o changes the order"] if self.sort else []
        self._screen.query_one("#frame").border_subtitle = "   ".join(parts)

    def explain(self, typed: str) -> None:
        """Show how the typed filter can be completed, or what is wrong with it."""
        run_in_background(self._screen, partial(self._explain, typed), "help")

    async def _explain(self, typed: str) -> None:
        offered = (
            await console_app(self._screen).connection.call(lambda client: client.history.filter_help(typed))
            if typed
            else None
        )
        self._screen.query_one(FilterLine).explain(offered)

    def close(self) -> None:
        """Close the facets if they have the focus; else clear the search and show everything."""
        if self._screen.query_one(FacetList).has_focus:
            self.toggle_facets()
            return
        self._screen.query_one(FilterLine).remove_class("-open")
        self._screen.query_one(HistoryTable).focus()
        if self.filter:
            self.apply("")
        self._screen.query_one(FilterInput).value = ""

    # --- facets -----------------------------------------------------------------------------------

    @property
    def _facets_open(self) -> bool:
        return self._screen.has_class("-facets")

    def toggle_facets(self) -> None:
        """Show or hide the facets."""
        self._screen.toggle_class("-facets")
        if self._facets_open:
            self._count_facets()
            self._screen.query_one(FacetList).focus()
        else:
            self._screen.query_one(HistoryTable).focus()

    def _count_facets(self) -> None:
        run_in_background(self._screen, self._load_facets, "facets")

    async def _load_facets(self) -> None:
        wanted = self.filter
        await self.load_shared()
        facets = await console_app(self._screen).connection.call(lambda client: _facets(client, wanted))
        if wanted == self.filter:
            self._screen.query_one(FacetList).show(facets)

    # --- shared and saved searches ---------------------------------------------------------------------

    def toggle_saved(self) -> None:
        """Save the search that is typed or applied, or remove it from the saved ones."""
        search = self._screen.query_one(FilterInput).value.strip() or self.filter
        if not search:
            return
        try:
            saved = saved_searches.toggle(search)
        except OSError as error:
            message = f"{saved_searches.file()} cannot be written: {error.strerror}"
            self._screen.notify(message, severity="error")
            return
        self._screen.query_one(FacetList).show_saved(saved)
        self._screen.notify("Search saved; f lists it" if search in saved else "Search removed")

    def share(self) -> None:
        """Share the search under a name, or, where it is shared, share it no longer."""
        search = self._screen.query_one(FilterInput).value.strip() or self.filter
        if search:
            run_in_background(self._screen, partial(self._share, search), "share")

    async def _share(self, search: str) -> None:
        await share(self._screen, search)
        await self.load_shared()

    async def load_shared(self) -> None:
        """List the queries that responders share."""
        found = await console_app(self._screen).connection.call(lambda client: client.shared_queries.list())
        if found is not None:
            self._screen.query_one(FacetList).show_shared(found)
