"""The base of the five screens: header, footer, and the bar of a decision that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from console.app.state import console_app
from console.review.decisions import OUTPUT_FIRST_SECONDS, describe
from console.safety.text import content
from console.widgets.footer import AppFooter
from console.widgets.header import AppHeader
from console.widgets.rows import NARROW
from engine.models import DecisionOutcome

if TYPE_CHECKING:
    from console.review.decision_controller import DecisionController

_SENDING = {DecisionOutcome.APPROVED: "Approving", DecisionOutcome.DENIED: "Denying",
            DecisionOutcome.CHANGES_REQUESTED: "Requesting changes to"}  # fmt: skip


class BaseScreen(Screen[None]):
    """One of the five screens. Nothing is focused when it opens unless the screen says so."""

    AUTO_FOCUS = ""
    NAME: ClassVar[str] = ""
    HELP_TITLE: ClassVar[str] = ""
    HELP_WORDS: ClassVar[str] = ""
    QUEUE_SECONDS: ClassVar[float] = 0.0
    """How long after an event the queue is fetched; later where only its length is shown."""
    _behind: Callable[[], None] | None = None
    """Shows the queue of now, where that changed while another of the five screens was open."""

    def compose(self) -> ComposeResult:
        """Lay out header, contents and footer."""
        yield AppHeader(self.NAME)
        yield from self.contents()
        with Vertical(id="foot"):
            yield from self.below()
            yield Static(id="undo-bar")
            yield AppFooter()

    def contents(self) -> Iterable[Widget]:
        """Return what is between header and footer."""
        raise NotImplementedError

    def below(self) -> Iterable[Widget]:
        """Return what is right above the footer: input lines."""
        return ()

    def on_mount(self) -> None:
        """Keep the bar of the held decision up to date."""
        self.set_interval(0.2, self._show_held)

    def follow_queue(self, show: Callable[[], None]) -> None:
        """Call `show` now and after each change of the queue.

        While another of the five screens is open, only its return to this one does that: what nobody sees
        would take the time of what somebody waits for.
        """
        show()
        self.watch(self.app, "queue", lambda: self.when_open(show), init=False)

    def when_open(self, show: Callable[[], None]) -> None:
        """Call `show` now, or once this one of the five screens is open again."""
        if console_app(self).current_mode == self.NAME:
            self._behind = None
            show()
        else:
            self._behind = partial(self.when_open, show)

    def on_screen_resume(self) -> None:
        """Show what changed while another of the five screens was open."""
        if self._behind is not None:
            self._behind()

    def on_resize(self) -> None:
        """Make the footer compact where the screen is narrow."""
        self.query_one(Footer).compact = self.size.width < NARROW

    def _show_held(self) -> None:
        bar = self.query_one("#undo-bar", Static)
        shown = bar.has_class("-held")
        words = _held_words(console_app(self).decisions, shown=shown)
        if shown != bool(words):
            bar.set_class(bool(words), "-held")
            self.refresh_bindings()
        if words:
            bar.update(content(words), layout=False)


def _held_words(decisions: DecisionController | None, *, shown: bool) -> str:
    """Return what the bar says; one that is shown stays until the first output had its time."""
    if decisions is not None and (held := decisions.held):
        word = _SENDING[held[0].outcome]
        return f"{word} {describe(held)} in {decisions.seconds_left:.0f} s     u undo   F7 send now"
    if decisions is not None and (late := decisions.waiting):
        return f"Not sent yet: the decision about {describe(late)}. The engine does not respond."
    if shown and decisions is not None and decisions.seconds_since_sent < OUTPUT_FIRST_SECONDS:
        return "Sent."
    return ""
