"""A line that asks for one text: a note, a tag, a name, a file."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.safety.text import content
from console.widgets.footer import KeyFooter


class PromptScreen(ModalScreen[str | None]):
    """Returns what was typed, without blanks around it; None where nothing was, or Escape was pressed."""

    AUTO_FOCUS = "#typed"
    DEFAULT_CSS = """
    PromptScreen .sheet Static { height: auto; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "nothing", "OK", id="prompt.enter", tooltip="Go on with what was typed"),
        Binding("escape", "cancel", "Back", id="prompt.cancel", tooltip="Back; nothing is done"),
    ]

    def __init__(self, title: str, about: str, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._value = value

    def compose(self) -> ComposeResult:
        """Lay out what it is about, and the input."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = self._title
            yield Static(content(self._about))
            yield Input(self._value, id="typed", select_on_focus=False)
        yield KeyFooter()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Return what was typed."""
        self.dismiss(message.value.strip() or None)

    def action_nothing(self) -> None:
        """Do nothing: the input submits itself; the binding shows the key in the footer."""

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)
