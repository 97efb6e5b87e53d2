"""Says exactly what is about to be done, and asks for one key combination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.review.display_delay import DisplayDelay
from console.safety.text import Part, content, paragraphs
from console.widgets.footer import KeyFooter


class ConfirmScreen(ModalScreen[bool]):
    """Returns whether a person pressed the key for what is on screen."""

    AUTO_FOCUS = "#steps"
    DEFAULT_CSS = """
    ConfirmScreen .sheet Static { height: auto; }
    ConfirmScreen #steps { height: auto; max-height: 14; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "confirm", "Do it", id="confirm.do", priority=True, tooltip="Do what is listed"),
        Binding("escape", "cancel", "Back", id="confirm.cancel", tooltip="Back; nothing is done"),
    ]

    def __init__(self, title: str, steps: Sequence[list[Part]]) -> None:
        super().__init__()
        self._title = title
        self._steps = steps
        self.delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out the steps."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = self._title
            with VerticalScroll(id="steps"):
                yield Static(paragraphs(*self._steps))
            yield Static(content(("ctrl+y", "bold warning"), " does this   ", ("Esc", "bold"), " nothing"))
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin the delay before the key counts."""
        self.delay.restart()

    @work(exclusive=True)
    async def action_confirm(self) -> None:
        """Confirm, if a person pressed the key and the steps were displayed long enough."""
        if await console_app(self).key_guard.pressed_by_person() and self.delay.over:
            self.dismiss(True)

    def action_cancel(self) -> None:
        """Do nothing."""
        self.dismiss(False)
