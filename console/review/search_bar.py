"""The input line of Review: a word to search for in the code, or the number of a line."""

from __future__ import annotations

from textual.widgets import Input

from console.code_view.view import CodeView


class SearchBar(Input):
    """Hidden until it is opened; `submit_to` acts on the view of code."""

    def __init__(self) -> None:
        super().__init__(id="search-bar", select_on_focus=False)
        self._wants_line = False

    def open_search(self) -> None:
        """Ask for a word."""
        self._open("Search the code (Enter: search, Esc: close)", wants_line=False)

    def open_line(self) -> None:
        """Ask for the number of a line."""
        self._open("Go to line", wants_line=True)

    def submit_to(self, view: CodeView, text: str) -> str:
        """Go to the line, or search for the text; return a message for the user."""
        if self._wants_line:
            if text.strip().isdecimal():
                view.go_to(int(text))
            return ""
        found = view.search(text)
        return f"{found} found. Next match: .  Previous match: ," if found else "No match."

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def _open(self, words: str, *, wants_line: bool) -> None:
        self.placeholder, self.value, self._wants_line = words, "", wants_line
        self.add_class("-open")
        self.focus()
