"""What is on screen before anything else is loaded."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static


class LoadingScreen(Screen[None]):
    """The name of the house, and that it opens."""

    DEFAULT_CSS = """
    LoadingScreen #bar { dock: top; height: 1; padding: 0 1; background: $panel; color: $accent;
                         text-style: bold; }
    LoadingScreen #word { width: 1fr; height: 1fr; content-align: center middle; color: $muted; }
    """

    def compose(self) -> Iterable[Static]:
        """Lay out the line on top and a word."""
        yield Static(Content("Pratique"), id="bar")
        yield Static(Content("Opening the desk …"), id="word")
