"""The line above the editor with the names of the tabs; it is not there where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Static

from console.safety.text import Part, content, pad

WIDTH = 20
"""Cells of one tab, its number among them."""


class TabBar(Static):
    """Shows the tabs; a click chooses one."""

    DEFAULT_CSS = """
    TabBar { height: 1; display: none; background: $surface; }
    TabBar.-several { display: block; }
    """

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        index: int

    _count = 0
    _first = 0
    _shown: tuple[list[str], int, int] | None = None

    def show(self, names: Sequence[str], active: int) -> None:
        """Show tabs, as many as fit, the active one among them."""
        fit = max(1, self.app.size.width // 2 // WIDTH)
        if (wanted := (list(names), active, fit)) == self._shown:
            return
        self._shown = wanted
        self._count, self._first = len(names), max(0, active - fit + 1)
        self.set_class(len(names) > 1, "-several")
        shown = list(enumerate(names))[self._first :]
        tabs = content(*(_tab(at, name, active=at == active) for at, name in shown))
        self.update(tabs, layout=False)  # one line, whatever it says

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        index = self._first + event.x // WIDTH
        if index < self._count:
            self.post_message(self.Chosen(index))


def _tab(index: int, name: str, *, active: bool) -> Part:
    return (pad(f" {index + 1} {name or 'empty'}", WIDTH), "bold reverse" if active else "muted")
