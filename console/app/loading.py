"""The screen that is painted before anything else is loaded."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static


class LoadingScreen(Screen[None]):
    """Shows the name, and that the console is loading."""

    DEFAULT_CSS = """
    LoadingScreen #bar { dock: top; height: 1; padding: 0 1; background: $panel; color: $accent;
                         text-style: bold; }
    LoadingScreen #word { width: 1fr; height: 1fr; content-align: center middle; color: $muted; }
    """

    def compose(self) -> Iterable[Static]:
        """Lay out the name and a word."""
        yield Static(Content("Pratique"), id="bar")
        yield Static(Content("Loading …"), id="word")
