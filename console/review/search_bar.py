"""The input line of Review: a text or line to go to, a filter of the queue, or a reviewer."""

from __future__ import annotations

from enum import StrEnum

from textual.widgets import Input

from console.code_view.view import CodeView


class Asks(StrEnum):
    """What the line asks for."""

    TEXT = "Search the code (Enter: search, Esc: close)"
    LINE = "Go to line"
    FILTER = "Filter: any text, level:high, agent:name, lang:python, assigned:me (Esc: none)"
    REVIEWER = "Assign to: a name, me, or empty for nobody (Enter: assign, Esc: close)"


class SearchBar(Input):
    """Hidden until it is opened; `submit_to` acts on the view of code."""

    def __init__(self) -> None:
        super().__init__(id="search-bar", select_on_focus=False)
        self.asks = Asks.TEXT

    def open_search(self) -> None:
        """Ask for a text."""
        self._open(Asks.TEXT)

    def open_line(self) -> None:
        """Ask for the number of a line."""
        self._open(Asks.LINE)

    def open_filter(self, filter: str) -> None:
        """Ask for a filter of the queue."""
        self._open(Asks.FILTER, filter)

    def open_reviewer(self) -> None:
        """Ask to whom to assign."""
        self._open(Asks.REVIEWER, "me")

    def submit_to(self, view: CodeView, text: str) -> str:
        """Go to the line, or search for the text; return a message for the user."""
        if self.asks in {Asks.FILTER, Asks.REVIEWER}:
            return ""
        if self.asks is Asks.LINE:
            if text.strip().isdecimal():
                view.go_to(int(text))
            return ""
        found = view.search(text)
        return f"{found} found. Next match: .  Previous match: ," if found else "No match."

    @property
    def is_open(self) -> bool:
        """Whether the line is on screen."""
        return self.has_class("-open")

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def _open(self, asks: Asks, value: str = "") -> None:
        self.asks = asks
        self.placeholder, self.value = asks.value, value
        self.border_title = asks.value if value else ""
        self.cursor_position = len(value)
        self.add_class("-open")
        self.focus()
