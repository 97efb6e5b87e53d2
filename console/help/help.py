"""What can be done here: the place in words, and every key that works in it, in groups."""

from __future__ import annotations

from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from console.app.keymap import group
from console.safety.text import Part, pad, paragraphs

WIDEST = 128
FRAME_CELLS = 8
"""Border, padding and scroll bar of the sheet."""
LEFT_CELLS = 25
"""A key and its name."""
ID_CELLS = 25
WITH_IDS = 100
"""Where there are fewer cells, the ids of the bindings are left out."""


class HelpScreen(ModalScreen[None]):
    """Help about the screen that it was opened over."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HelpScreen .sheet Static { height: auto; padding-right: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "leave", "Close", id="help.close", tooltip="Close the help"),
        Binding("down,j", "scroll(1)", "Down", id="help.down", show=False, tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "Up", id="help.up", show=False, tooltip="A line up"),
        Binding("pagedown,space", "scroll(10)", "Page down", id="help.page-down", show=False,
                tooltip="Ten lines down"),
        Binding("pageup", "scroll(-10)", "Page up", id="help.page-up", show=False, tooltip="Ten lines up"),
    ]  # fmt: skip

    def __init__(self, over: Screen[object]) -> None:
        super().__init__()
        self._title = getattr(over, "HELP_TITLE", "") or "Help"
        self._words = getattr(over, "HELP_WORDS", "")
        self._keys = lines(over)

    def compose(self) -> ComposeResult:
        """Lay out the words, then the keys."""
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = self._title
            sheet.border_subtitle = "↑ ↓ scroll  Esc closes"
            yield Static(paragraphs([self._words], *self._keys))

    def action_scroll(self, step: int) -> None:
        """Scroll by lines."""
        self.query_one(".sheet").scroll_relative(y=step, animate=False)

    def action_leave(self) -> None:
        """Close the help."""
        self.dismiss(None)


def lines(over: Screen[object]) -> list[list[Part]]:
    """Return every binding of a screen and of what is on it: a title for each group, then a line each."""
    groups: dict[str, list[Binding]] = {}
    for binding in _bindings(over):
        groups.setdefault(group(binding.id or ""), []).append(binding)
    told: list[list[Part]] = []
    for title, bindings in groups.items():
        told += [[], [(title, "bold accent")], *(line for each in bindings for line in _lines(over, each))]
    return told


def _bindings(over: Screen[object]) -> list[Binding]:
    """Return the bindings of a screen, of the widgets on it, and of the app, in this order, each id once."""
    nodes: list[DOMNode] = [over, *(each for each in over.query("*") if each.focusable), over.app]
    active = [each.binding for each in over.active_bindings.values()]
    known: dict[str, Binding] = {}
    for each in active:
        known.setdefault(each.id or "", each)
    known.pop("", None)
    for node in nodes:
        for held in node._bindings.key_to_bindings.values():  # noqa: SLF001  no public list of a node's keys
            known |= {binding.id: binding for binding in held if binding.id and binding.id not in known}
    everywhere = [each for id, each in known.items() if id.startswith(("app.", "go."))]
    places = [each for each in known.values() if each not in everywhere]
    return [each for each in [*places, *everywhere] if each.tooltip]


def _lines(over: Screen[object], binding: Binding) -> list[list[Part]]:
    """Return a key, its name and what it does; what does not fit goes on below, under its beginning."""
    width = min(WIDEST, over.app.size.width * 96 // 100) - FRAME_CELLS
    ids = width >= WITH_IDS
    key, id = over.app.get_key_display(binding), binding.id or ""
    first, *rest = wrap(binding.tooltip, width - LEFT_CELLS - (ID_CELLS if ids else 0)) or [""]
    begins: list[Part] = [
        (f"{key:>8}  ", "bold primary"),
        (pad(binding.description, LEFT_CELLS - 10), "bold"),
    ]
    told = pad(first, width - LEFT_CELLS - ID_CELLS) if ids else first
    top: list[Part] = [*begins, (told, "muted"), *([(f" {id}", "faint")] if ids else [])]
    below: list[list[Part]] = [[(" " * LEFT_CELLS + each, "muted")] for each in rest]
    return [top, *below]
