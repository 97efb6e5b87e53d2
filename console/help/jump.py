"""Jump mode: a letter over each part of the screen that can be focused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from console.safety.text import content

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen["Widget | None"]):
    """Overlays a screen with letters; returns the part that was chosen."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Jump"
    DEFAULT_CSS = """
    JumpScreen { background: $background 30%; align: left top; }
    JumpScreen Static { position: absolute; width: 3; height: 1; background: $accent; color: $background;
                        text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+g", "leave", "Back", id="jump.leave", tooltip="Close jump mode"),
    ]

    def __init__(self, over: Screen[object]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets(over), strict=False))

    def compose(self) -> ComposeResult:
        """Lay out a letter over each part."""
        for letter, widget in self._targets.items():
            sign = Static(content(f" {letter} "))
            sign.styles.offset = (widget.region.x, widget.region.y)
            yield sign

    def on_key(self, event: events.Key) -> None:
        """Go to the part of this letter."""
        widget = self._targets.get(event.character or "")
        if widget is not None:
            event.stop()
            self.dismiss(widget)

    def action_leave(self) -> None:
        """Close jump mode."""
        self.dismiss(None)


def targets(screen: Screen[object]) -> Iterable[Widget]:
    """Return what can be focused and is on screen, from the top left."""
    seen = [each for each in screen.focus_chain if each.region and each.region.overlaps(screen.region)]
    return sorted(seen, key=lambda each: (each.region.y, each.region.x))
