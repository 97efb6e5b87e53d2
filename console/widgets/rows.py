"""A list that draws only the lines on screen: submissions, violations, runs, checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.safety.text import Part
from console.theming.styles import drawing_size, strip, style_of
from console.widgets.kept_lines import KeptLines
from console.widgets.repaint import move_bar, set_virtual_size

TALL = 50
"""Screens of so many lines and more show what others leave to a key."""
LOW = 34
"""Screens of fewer lines keep what is beside the code short."""
NARROW = 100
_Line = tuple[bool, list[Part]]
_GROUP = Binding.Group("Move", compact=True)


class Rows(ScrollView, can_focus=True):
    """Rows of `ROW_HEIGHT` lines with a cursor. A subclass counts them and draws them."""

    ROW_HEIGHT = 1
    EMPTY: ClassVar[tuple[list[Part], ...]] = ()
    """What is drawn where there are no rows."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="rows.up", show=False, group=_GROUP, tooltip="Previous row"),
        Binding("down,j", "move(1)", "Down", id="rows.down", show=False, group=_GROUP, tooltip="Next row"),
        Binding("pageup", "page(-1)", "Page up", id="rows.page-up", show=False, tooltip="One page up"),
        Binding("pagedown", "page(1)", "Page down", id="rows.page-down", show=False, tooltip="One page down"),
        Binding("home", "first", "First", id="rows.first", show=False, tooltip="To the first row"),
        Binding("end", "last", "Last", id="rows.last", show=False, tooltip="To the last row"),
        Binding("enter", "choose", "Open", id="rows.open", show=False, tooltip="Open the row"),
    ]
    DEFAULT_CSS = """
    Rows { height: 1fr; overflow-x: hidden; background: $background; scrollbar-size-vertical: 1; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._drawn: dict[int, _Line] = {}
        self._kept = KeptLines(self)
        self._across = 0

    @dataclass
    class Moved(Message):
        """The cursor is on another row."""

        rows: Rows
        index: int

        @property
        def control(self) -> Rows:
            """The list."""
            return self.rows

    @dataclass
    class Chosen(Message):
        """A row was opened, by key or by click."""

        rows: Rows
        index: int

        @property
        def control(self) -> Rows:
            """The list."""
            return self.rows

    @property
    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Return line `line` of row `index`."""
        raise NotImplementedError

    def row_height(self, *, narrow: bool) -> int:
        """Return how many lines a row takes; fewer where the screen is narrow."""
        return type(self).ROW_HEIGHT

    def empty(self) -> tuple[list[Part], ...]:
        """Return what is drawn where there are no rows."""
        return self.EMPTY

    def refit(self) -> None:
        """Update the size and the lines after the rows changed."""
        set_virtual_size(self, Size(self.size.width, self.count * self.ROW_HEIGHT))
        self.cursor = self.validate_cursor(self.cursor)
        self.freshen()

    def freshen(self) -> None:
        """Redraw the lines on screen that changed."""
        top, width = self.scroll_offset.y, drawing_size(self).width
        for y in range(self.size.height):
            if self._drawn.get(y) != self._line(top + y, width):
                self.refresh_lines(top + y)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self.count - 1))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scroll, and draw the bar only where its thumb moves."""
        if self.show_vertical_scrollbar:
            move_bar(self, new_value)
        super().watch_scroll_y(old_value, new_value)

    def watch_cursor(self, old: int, new: int) -> None:
        """Scroll to the row and announce it; only the two rows are redrawn."""
        self.reveal(new)
        for index in {old, new}:
            self.refresh_lines(index * self.ROW_HEIGHT, self.ROW_HEIGHT)
        if old != new:
            self.post_message(self.Moved(self, new))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what changed of what is on screen."""
        self._across = drawing_size(self).width
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is on screen."""
        chosen, parts = self._drawn[y] = self._line(y + self.scroll_offset.y, self._across)
        return self._kept.line((chosen, *parts), lambda: self._strip(parts, chosen=chosen))

    def _strip(self, parts: list[Part], *, chosen: bool) -> Strip:
        base = self.visual_style.rich_style
        return strip(self, parts, self._across, base + self.cursor_style() if chosen else base)

    def _line(self, place: int, width: int) -> _Line:
        """Return whether a line is of the selected row, and what is on it."""
        index, line = divmod(place, self.ROW_HEIGHT)
        if place < 0 or index >= self.count:
            return False, self._blank(place)
        parts = self.draw(index, line, width)
        return (True, _pointed(parts)) if index == self.cursor else (False, parts)

    def cursor_style(self) -> Style:
        """Return the background of the selected row."""
        return style_of(self, "on cursor" if self.has_focus else "on panel")

    def _blank(self, place: int) -> list[Part]:
        words = self.empty()
        return [] if self.count or not 0 <= place - 1 < len(words) else [" ", *words[place - 1]]

    def reveal(self, index: int | None = None) -> None:
        """Scroll to a row; to that of the cursor where none is given."""
        top, height = (self.cursor if index is None else index) * self.ROW_HEIGHT, self.size.height
        if not height:
            return
        at_once = self.show_vertical_scrollbar  # else what was just listed is not laid out yet
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, immediate=at_once)
        elif top + self.ROW_HEIGHT > self.scroll_offset.y + height:
            self.scroll_to(y=top + self.ROW_HEIGHT - height, animate=False, immediate=at_once)

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.ROW_HEIGHT = self.row_height(narrow=self.app.size.width < NARROW)
        self.refit()
        self.reveal()

    def on_focus(self) -> None:
        """Draw the cursor as the focused one."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the cursor as an unfocused one."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row under the mouse; a second click opens it."""
        index = (event.y - self.gutter.top + self.scroll_offset.y) // self.ROW_HEIGHT
        if 0 <= index < self.count:
            self.cursor = index
            if event.chain > 1:
                self.action_choose()

    def action_move(self, step: int) -> None:
        """Move the cursor by `step` rows."""
        self.cursor += step

    def action_page(self, step: int) -> None:
        """Move the cursor by `step` screens."""
        self.cursor += step * max(1, self.size.height // self.ROW_HEIGHT - 1)

    def action_first(self) -> None:
        """Move the cursor to the first row."""
        self.cursor = 0

    def action_last(self) -> None:
        """Move the cursor to the last row."""
        self.cursor = self.count - 1

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))


def _pointed(parts: list[Part]) -> list[Part]:
    """Return the parts of the selected row with a bar before them, since not everybody sees colours."""
    first = parts[0] if parts else ""
    if not isinstance(first, str) or not first.startswith(" "):
        return parts
    return [("▌", "primary"), first[1:], *parts[1:]]
