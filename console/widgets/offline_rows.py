"""What lists say while the engine does not answer: not that nothing is there."""

from __future__ import annotations

from console.app.state import console_app
from console.safety.text import Part
from console.widgets.rows import Rows

OFFLINE: tuple[list[Part], ...] = (
    [("The engine does not answer.", "bold warning")],
    [],
    [("It is asked again by itself.", "muted")],
    [("What is wrong, says:", "muted")],
    [("pratique doctor", "primary")],
)


class OfflineRows(Rows):
    """Rows that the engine was asked for."""

    def on_mount(self) -> None:
        """Follow whether the engine answers."""
        self.watch(self.app, "link", self.freshen, init=False)

    def empty(self) -> tuple[list[Part], ...]:
        """Return why there are no rows."""
        return OFFLINE if console_app(self).link == "lost" else self.EMPTY
