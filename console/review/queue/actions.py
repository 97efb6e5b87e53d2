"""What the keys do with the queue: sort, filter, mark, and show all of it on a narrow screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from console.review.queue.listing import QueueList
from console.review.search_bar import Asks, SearchBar

if TYPE_CHECKING:
    from textual.screen import Screen

    from console.review.selection import SelectedSubmission


class QueueActions:
    """Acts on the list of submissions of a screen."""

    def __init__(self, screen: Screen[None], selection: SelectedSubmission) -> None:
        self._screen = screen
        self._selection = selection
        self._actions: dict[str, Callable[[], None]] = {
            "list": self._toggle_list,
            "order": self._next_order,
            "filter": self._ask_filter,
            "assign": self._ask_reviewer,
            "mark": self._mark,
            "mark_all": self._mark_all,
            "mark_equivalent": self._mark_equivalent,
        }

    def run(self, action: str) -> None:
        """Run an action by its name."""
        self._actions[action]()

    def filter_typed(self, words: str) -> None:
        """Filter the list while a filter is typed."""
        bar = self._screen.query_one(SearchBar)
        if bar.is_open and bar.asks is Asks.FILTER:
            self._filter_by(words)

    def leave(self) -> None:
        """Close the line and the list; remove the filter, unless another line was open."""
        bar = self._screen.query_one(SearchBar)
        if self._rows.filter and (bar.asks is Asks.FILTER or not bar.is_open):
            self._filter_by("")
        bar.close()
        self.close_list()

    def close_list(self) -> None:
        """Show the submission again, and leave whatever is focused."""
        self._screen.remove_class("-list")
        self._screen.set_focus(None)

    @property
    def _rows(self) -> QueueList:
        return self._screen.query_one(QueueList)

    def _toggle_list(self) -> None:
        if self._screen.has_class("-list"):
            self.close_list()
        else:
            self._screen.add_class("-list")
            self._screen.set_focus(self._rows)

    def _next_order(self) -> None:
        self._rows.list_by(self._rows.order.next, self._rows.filter)

    def _ask_filter(self) -> None:
        self._screen.query_one(SearchBar).open_filter(self._rows.filter)

    def _ask_reviewer(self) -> None:
        if self._rows.chosen is not None:
            self._screen.query_one(SearchBar).open_reviewer()

    def _mark(self) -> None:
        self._rows.mark()

    def _mark_all(self) -> None:
        self._rows.mark_all()

    def _mark_equivalent(self) -> None:
        if self._rows.mark_equivalent() == 1:
            self._screen.notify("No other submission is equivalent to this one.")

    def _filter_by(self, words: str) -> None:
        self._rows.list_by(self._rows.order, words)
        self._selection.select(self._rows.chosen)
