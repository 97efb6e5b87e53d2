"""Shows the welcome screen to a first-time user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine import locations

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


def mark() -> Path:
    """Return the empty file that records that the welcome screen was shown."""
    return locations.state() / "console-welcomed"


def offer(app: ConsoleApp) -> None:
    """Show the welcome screen once, unless submissions are pending or a key was pressed already."""
    if (
        not app.saves_preferences
        or app.queue
        or app.screen.is_modal
        or not app.key_guard.no_input_yet
        or mark().exists()
    ):
        return
    from console.help.welcome import WelcomeScreen  # noqa: PLC0415  on its first use

    mark().touch(mode=0o600)
    app.push_screen(WelcomeScreen())
