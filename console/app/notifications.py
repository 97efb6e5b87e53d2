"""Telling a person who looks elsewhere that something waits: the terminal's title, its bell, its notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from console.app.preferences import Preferences
    from engine.models import Summary

_KEEP_TITLE, _BACK_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class TerminalNotifications(App[None]):
    """An app that says outside of its frame how many submissions wait, in its own words only."""

    preferences: Preferences
    _waited = 0
    _named = ""

    def announce(self, queue: tuple[Summary, ...]) -> None:
        """Put the number into the title; ring and notify, where that is wanted, when it grows."""
        from engine.models import Status  # noqa: PLC0415  the first frame comes before the nouns

        pending = sum(each.status is Status.PENDING for each in queue)
        grown, self._waited = pending > self._waited, pending
        self.set_title(f"Pratique ({pending} waiting)" if pending else "Pratique")
        if grown and self.preferences.bell:
            self.bell()
        if grown and self.preferences.notify:
            self.write_terminal(f"\x1b]9;Pratique: {pending} waiting for a decision\x07")

    def set_title(self, words: str) -> None:
        """Set the title of the terminal."""
        if words != self._named:
            first = "" if self._named else _KEEP_TITLE
            self._named = words
            self.write_terminal(f"{first}\x1b]2;{words}\x07")

    def restore_title(self) -> None:
        """Give the terminal the title back that it had."""
        if self._named:
            self._named = ""
            self.write_terminal(_BACK_TITLE)

    def write_terminal(self, sequence: str) -> None:
        """Send a sequence of our own to the terminal."""
        if self._driver is not None:
            self._driver.write(sequence)
            self._driver.flush()
