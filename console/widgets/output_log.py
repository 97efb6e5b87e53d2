"""What a run writes, live: a bounded view over a stream that the engine keeps whole."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from console.ink import ink, room
from console.ink import strip as drawn
from console.output import KEPT_LINES, OutputLines
from console.terminal import folded, plain, segments
from console.text import Part
from console.widgets.output_rows import OutputRows
from console.widgets.painting import highlighted
from engine.models import OutputChunk, Stream

__all__ = ["KEPT_LINES", "OutputLog"]

FRAMES_PER_SECOND = 30
FLOOD_LINES = 300
"""More lines than this in one frame are a flood, and the next frames are left out."""
FLOOD_FRAMES = 3
MOST_STRIPS = 1024
SIGN_CELLS = 2


class OutputLog(ScrollView, can_focus=True):
    """Shows stdout and stderr in the order in which they came; follows the end while it is at the end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Up", id="output.up", show=False, tooltip="One line up"),
        Binding("down,j", "scroll(1)", "Down", id="output.down", show=False, tooltip="One line down"),
        Binding("pageup", "page(-1)", "Page up", id="output.page-up", show=False, tooltip="One page up"),
        Binding(
            "pagedown,space", "page(1)", "Page", id="output.page-down", show=False, tooltip="A page down"
        ),
        Binding("home", "top", "Top", id="output.top", show=False, tooltip="To the oldest line kept"),
        Binding(
            "end,G", "follow", "Follow", id="output.follow", show=False, tooltip="Follow the newest line"
        ),
    ]
    DEFAULT_CSS = """
    OutputLog { background: $background; color: $foreground; scrollbar-size-vertical: 1;
                scrollbar-size-horizontal: 1; overflow-x: hidden; overflow-y: scroll; }
    """

    following: reactive[bool] = reactive(True)
    wrapped: reactive[bool] = reactive(False)
    live: reactive[bool] = reactive(True)
    """Whether more may come."""
    hint: reactive[str] = reactive("")
    """What is said where there is no output."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._empty()

    def _empty(self) -> None:
        self._lines = OutputLines()
        self._rows = OutputRows(self._lines)
        self._inbox: list[OutputChunk] = []
        self._strips: dict[tuple[int, int], Strip] = {}
        self._pattern: re.Pattern[str] | None = None
        self._hits: list[int] = []
        self._hit = -1
        self._left_out = 0

    def on_mount(self) -> None:
        """Draw at most thirty times a second, however much arrives."""
        self.set_interval(1 / FRAMES_PER_SECOND, self._frame)

    # --- what comes in ----------------------------------------------------------------------------

    def clear(self) -> None:
        """Forget everything."""
        self._empty()
        self._lay_out()
        self.following = True

    def add(self, chunk: OutputChunk) -> None:
        """Take a chunk; it is drawn with the next frame."""
        self._inbox.append(chunk)

    def lines(self) -> list[str]:
        """Return the lines that are kept, as they came."""
        self._drain()
        return [text for _, text in self._lines]

    @property
    def dropped(self) -> int:
        """How many older lines are no longer in this view."""
        return self._lines.dropped

    @property
    def taken(self) -> int:
        """How many bytes came so far."""
        return self._lines.taken + sum(len(chunk.data) for chunk in self._inbox)

    def _frame(self) -> None:
        if self._left_out:
            self._left_out -= 1
        elif self._inbox:
            before = self._lines.end
            self._drain()
            self._left_out = FLOOD_FRAMES if self._lines.end - before > FLOOD_LINES else 0

    def _drain(self) -> None:
        inbox, self._inbox = self._inbox, []
        bottom = self.scroll_offset.y + self.size.height
        before, unfinished = self._rows.total, self._lines.finished
        self._lines.take(inbox)
        self._strips = {place: strip for place, strip in self._strips.items() if place[0] < unfinished}
        gone = self._rows.update()
        self._fit()
        if self.following:
            self.scroll_to(y=self._rows.total, animate=False)
        elif gone:
            self.scroll_to(y=max(0, self.scroll_offset.y - gone), animate=False)
        if self.following or gone or bottom >= before - len(Stream):
            self.refresh()

    # --- layout -----------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        cells = max(8, room(self).width - SIGN_CELLS)
        self._rows = OutputRows(self._lines, cells if self.wrapped else None)
        self._strips.clear()
        self._fit()
        if self.following:
            self.scroll_to(y=self._rows.total, animate=False)
        self.refresh()

    def _fit(self) -> None:
        """Tell the scroll bar, and nobody else: a layout of the whole screen for every frame is too dear."""
        size = Size(self.size.width, self._rows.total)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def on_resize(self) -> None:
        """Fit to the new size."""
        self._lay_out()

    def watch_wrapped(self) -> None:
        """Lay the lines out again, with the same line on top."""
        number, _ = self._rows.at(int(self.scroll_offset.y))
        self._lay_out()
        if not self.following:
            self.scroll_to(y=self._rows.row_of(number), animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Stop following when the person scrolls up; follow again at the end."""
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value + self.size.height >= self._rows.total - 1

    def notify_style_update(self) -> None:
        """Forget lines drawn in the colours of another theme."""
        super().notify_style_update()
        self._strips.clear()

    # --- drawing ----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width, base = room(self).width, self.visual_style.rich_style
        row = y + int(self.scroll_offset.y)
        if not self._rows.total and y == 1 and self.hint:
            return drawn(self, [" ", (self.hint, "muted")], width, base)
        if y < 0 or row >= self._rows.total:
            return Strip.blank(width, base)
        place = self._rows.at(row)
        if place not in self._strips:
            self._draw(place[0])
        return self._strips[place] if place in self._strips else Strip.blank(width, base)

    def _draw(self, number: int) -> None:
        if len(self._strips) > MOST_STRIPS:
            self._strips.clear()
        width, base = room(self).width, self.visual_style.rich_style
        stream, text = self._lines.at(number)
        sign = Segment("▎ ", base + ink(self, "stderr" if stream is Stream.STDERR else "line"))
        line = segments(text, base + ink(self, stream.value))
        if self._pattern is not None:
            line = highlighted(line, self._pattern, ink(self, "on found"))
        rows = folded(line, width - SIGN_CELLS) if self.wrapped else [line]
        for index, row in enumerate(rows):
            strip = Strip([sign, *row])
            if strip.cell_length > width:
                more = Segment("›", base + ink(self, "warning bold"))
                strip = Strip.join([strip.crop(0, width - 1), Strip([more])])
            self._strips[(number, index)] = strip.adjust_cell_length(width, base)

    # --- what is said -----------------------------------------------------------------------------

    def summary(self) -> list[Part]:
        """Return where the view is, and what it leaves out, in words."""
        lines, total = self._lines, self._rows.total
        parts: list[Part] = []
        if self.live:
            parts = [("following  ", "success") if self.following else ("paused  ", "warning")]
        parts.append((f"{lines.end:,} {'line' if lines.end == 1 else 'lines'}  ", "muted"))
        if not self.following:
            number, _ = self._rows.at(min(int(self.scroll_offset.y), max(0, total - 1)))
            parts.append((f"from line {number + 1:,}  ", "muted"))
        if self._pattern is not None:
            parts.append((f"{self._hit + 1:,} of {len(self._hits):,} found  ", "accent"))
        if lines.dropped:
            parts.append((f"{lines.dropped:,} older lines left this view  ", "warning"))
        if lines.clipped:
            parts.append((f"{lines.clipped:,} characters of long lines not shown  ", "warning"))
        return parts

    # --- looking about ----------------------------------------------------------------------------

    def search(self, words: str) -> int:
        """Mark every place of `words` in what is kept, and go to the last; return in how many lines it is."""
        self._drain()
        self._pattern = re.compile(re.escape(words), re.IGNORECASE) if words else None
        found = enumerate(self._lines, start=self._lines.dropped)
        self._hits = [n for n, (_, text) in found if self._pattern and self._pattern.search(plain(text))]
        self._hit = 0
        self._strips.clear()
        self.refresh()
        self.next_hit(-1)
        return len(self._hits)

    def next_hit(self, step: int) -> None:
        """Go to the next line that the search found, or the one before."""
        if self._hits:
            self._hit = (self._hit + step) % len(self._hits)
            row = self._rows.row_of(self._hits[self._hit])
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)

    def action_scroll(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by pages."""
        self.scroll_to(y=self.scroll_offset.y + step * max(1, self.size.height - 1), animate=False)

    def action_top(self) -> None:
        """Go to the oldest line kept."""
        self.scroll_to(y=0, animate=False)

    def action_follow(self) -> None:
        """Go to the newest line and stay there."""
        self.following = True
        self.scroll_to(y=self._rows.total, animate=False)

    def action_pause(self) -> None:
        """Stay where it is, or follow again."""
        if self.following:
            self.following = False
        else:
            self.action_follow()
