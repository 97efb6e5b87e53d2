"""What the five places share: the line on top, the keys below, the bar of a decision that can be undone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from console.app.state import console_app
from console.safety.text import content
from console.widgets.footer import AppFooter
from console.widgets.header import AppHeader
from console.widgets.rows import NARROW


class BaseScreen(Screen[None]):
    """One of the five places. Nothing is focused on arrival unless the place says so."""

    AUTO_FOCUS = ""
    NAME: ClassVar[str] = ""
    HELP_TITLE: ClassVar[str] = ""
    HELP_WORDS: ClassVar[str] = ""

    def compose(self) -> ComposeResult:
        """Lay out the frame and what is in it."""
        yield AppHeader(self.NAME)
        yield from self.contents()
        with Vertical(id="foot"):
            yield from self.below()
            yield Static(id="undo-bar")
            yield AppFooter(show_command_palette=False)

    def contents(self) -> Iterable[Widget]:
        """Return what lies between the line on top and the keys."""
        raise NotImplementedError

    def below(self) -> Iterable[Widget]:
        """Return what lies between the contents and the keys: lines to type in."""
        return ()

    def on_mount(self) -> None:
        """Keep the bar of the held decision up to date."""
        self.set_interval(0.2, self._show_held)

    def on_resize(self) -> None:
        """Keep the names of the keys together where the screen is narrow."""
        self.query_one(Footer).compact = self.size.width < NARROW

    def _show_held(self) -> None:
        decisions = console_app(self).decisions
        held = decisions.held if decisions else None
        bar = self.query_one("#undo-bar", Static)
        if bar.has_class("-held") != (held is not None):
            bar.set_class(held is not None, "-held")
            self.refresh_bindings()
        if held is not None and decisions is not None:
            verb = held.outcome.value.removesuffix("d").removesuffix("ie").removesuffix("ve")
            word = {"appro": "Approving", "den": "Denying"}.get(verb, "Deciding")
            bar.update(content(f"{word} {held.case.submission.id} in {decisions.left:.0f} s     u undo"))
