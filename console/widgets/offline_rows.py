"""Lists of what the engine holds: empty and offline are not the same."""

from __future__ import annotations

from console.app.state import console_app
from console.safety.text import Part
from console.widgets.rows import Rows

OFFLINE: tuple[list[Part], ...] = (
    [("Engine offline.", "bold warning")],
    [],
    [("Reconnecting…", "muted")],
    [("To find out why, type:", "muted")],
    [("pratique doctor", "primary")],
)


class OfflineRows(Rows):
    """Rows that say that the engine is offline rather than that there are none."""

    def on_mount(self) -> None:
        """Follow the state of the connection."""
        self.watch(self.app, "connection_state", self.freshen, init=False)

    def empty(self) -> tuple[list[Part], ...]:
        """Return why there are no rows."""
        return OFFLINE if console_app(self).connection_state == "offline" else self.EMPTY
