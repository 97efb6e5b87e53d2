"""Whether somebody sits here for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine import locations

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


def mark() -> Path:
    """Return the empty file that says that the tour was shown."""
    return locations.state() / "console-toured"


def offer(app: ConsoleApp) -> None:
    """Show the tour to whoever opens the console for the first time and has nothing to decide about.

    Whoever has pressed a key by now knows where to go: the tour waits for the next time.
    """
    if (
        not app.saves_preferences
        or app.queue
        or app.screen.is_modal
        or not app.key_guard.no_input_yet
        or mark().exists()
    ):
        return
    from console.help.welcome import WelcomeScreen  # noqa: PLC0415  once in a life

    mark().touch(mode=0o600)
    app.push_screen(WelcomeScreen())
