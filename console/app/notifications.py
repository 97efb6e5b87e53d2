"""Notifications outside of the screen: the terminal's title, bell and desktop notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.app.textual_patches import write_to_terminal

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from engine.models import Summary

_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class TerminalNotifications:
    """Announces pending submissions to the terminal; every sequence it writes is made of our own text."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app
        self._pending = 0
        self._title = ""

    def announce(self, queue: tuple[Summary, ...]) -> None:
        """Put the number of pending submissions in the title; ring and notify as preferred when it grows."""
        from engine.models import Status  # noqa: PLC0415  the first frame is painted before the models load

        pending = sum(each.status is Status.PENDING for each in queue)
        grown, self._pending = pending > self._pending, pending
        self._set_title(f"Pratique ({pending} pending)" if pending else "Pratique")
        if grown and self._app.preferences.bell:
            self._app.bell()
        if grown and self._app.preferences.notify:
            self.write(f"\x1b]9;Pratique: {pending} pending\x07")

    def restore_title(self) -> None:
        """Restore the title that the terminal had before."""
        if self._title:
            self._title = ""
            self.write(_RESTORE_TITLE)

    def write(self, sequence: str) -> None:
        """Write an escape sequence of our own to the terminal."""
        write_to_terminal(self._app, sequence)

    def _set_title(self, title: str) -> None:
        if title != self._title:
            first = "" if self._title else _SAVE_TITLE
            self._title = title
            self.write(f"{first}\x1b]2;{title}\x07")
