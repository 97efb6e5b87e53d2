"""What can be done here: the place in words, and every key that works in it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from console.text import Part, paragraphs


class HelpScreen(ModalScreen[None]):
    """Help about the screen that it was opened over."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HelpScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "leave", "Close", id="help.close", tooltip="Close the help"),
    ]

    def __init__(self, over: Screen[object]) -> None:
        super().__init__()
        self._title = getattr(over, "HELP_TITLE", "") or "Help"
        self._words = getattr(over, "HELP_WORDS", "")
        self._keys = _keys(over)

    def compose(self) -> ComposeResult:
        """Lay out the words, then the keys."""
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = self._title
            sheet.border_subtitle = "Esc closes"
            yield Static(paragraphs([self._words], [], *self._keys))

    def action_leave(self) -> None:
        """Close the help."""
        self.dismiss(None)


def _keys(over: Screen[object]) -> list[list[Part]]:
    lines: list[list[Part]] = []
    seen = set()
    for active in over.active_bindings.values():
        binding = active.binding
        if binding.id and binding.id not in seen and binding.tooltip:
            seen.add(binding.id)
            key = over.app.get_key_display(binding)
            lines.append([(f"{key:>12}  ", "bold primary"), (f"{binding.description:<14}", "bold"),
                          (binding.tooltip, "muted")])  # fmt: skip
    return lines
