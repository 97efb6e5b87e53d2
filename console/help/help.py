"""The help of a screen: what it is for, and all its keys in groups."""

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
from console.app.textual_patches import node_bindings
from console.safety.text import Part, pad, paragraphs

WIDEST = 128
FRAME_CELLS = 8
"""The width of border, padding and scroll bar."""
LEFT_CELLS = 30
"""The width of a key, its name and a blank."""
ID_CELLS = 28
WITH_IDS = 100
"""From this width on, the ids of the bindings are shown."""


class HelpScreen(ModalScreen[None]):
    """The help of the screen that it was opened over."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HelpScreen .sheet Static { height: auto; padding-right: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "leave", "Close", id="help.close", tooltip="Close help"),
        Binding("down,j", "scroll(1)", "Down", id="help.down", show=False, tooltip="Line down"),
        Binding("up,k", "scroll(-1)", "Up", id="help.up", show=False, tooltip="Line up"),
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
        """Lay out the text, then the keys."""
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = self._title
            sheet.border_subtitle = "↑ ↓: scroll  Esc: close"
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
    listed: list[list[Part]] = []
    for title, bindings in groups.items():
        listed += [[], [(title, "bold accent")], *(line for each in bindings for line in _lines(over, each))]
    return listed


def _bindings(over: Screen[object]) -> list[Binding]:
    """Return the bindings of a screen, of the widgets on it, and of the app, in this order, each id once."""
    nodes: list[DOMNode] = [over, *(each for each in over.query("*") if each.focusable), over.app]
    active = [each.binding for each in over.active_bindings.values()]
    known: dict[str, Binding] = {}
    for each in active:
        known.setdefault(each.id or "", each)
    known.pop("", None)
    for node in nodes:
        declared = node_bindings(node)
        known |= {each.id: each for each in declared if each.id and each.id not in known}
    everywhere = [each for id, each in known.items() if id.startswith(("app.", "go."))]
    places = [each for each in known.values() if each not in everywhere]
    return [each for each in [*places, *everywhere] if each.tooltip]


def _lines(over: Screen[object], binding: Binding) -> list[list[Part]]:
    """Return a key, its name and what it does, wrapped below its beginning."""
    width = min(WIDEST, over.app.size.width * 96 // 100) - FRAME_CELLS
    ids = width >= WITH_IDS
    key, id = over.app.get_key_display(binding), binding.id or ""
    first, *rest = wrap(binding.tooltip, width - LEFT_CELLS - (ID_CELLS if ids else 0)) or [""]
    begins: list[Part] = [
        (f"{key:>8}  ", "bold primary"),
        (pad(binding.description, LEFT_CELLS - 11) + " ", "bold"),
    ]
    listed = pad(first, width - LEFT_CELLS - ID_CELLS) if ids else first
    top: list[Part] = [*begins, (listed, "muted"), *([(f" {id}", "faint")] if ids else [])]
    below: list[list[Part]] = [[(" " * LEFT_CELLS + each, "muted")] for each in rest]
    return [top, *below]
