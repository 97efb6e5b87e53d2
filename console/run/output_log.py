"""The output of a run, live: a bounded view of a stream that the engine keeps complete."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from console.app.textual_patches import paint_at_once
from console.run.output import KEPT_LINES, OutputLines
from console.run.output_rows import OutputRows
from console.run.output_search import OutputSearch
from console.run.terminal import folded, segments
from console.safety.contrast import readable
from console.safety.text import Part
from console.theming.styles import drawing_size, style_of
from console.theming.styles import strip as drawn
from console.widgets.painting import highlighted
from engine.common.text import many
from engine.models import OutputChunk, Stream

__all__ = ["KEPT_LINES", "OutputLog"]

FRAMES_PER_SECOND = 30
FLOOD_LINES = 300
"""More lines than this in one frame are a flood: the next frames are skipped."""
FLOOD_FRAMES = 3
MAX_STRIPS = 1024
SIGN_CELLS = 2


class OutputLog(ScrollView, can_focus=True):
    """Shows stdout and stderr in order of arrival, follows the end while scrolled to it, and searches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Up", id="output.up", show=False, tooltip="One line up"),
        Binding("down,j", "scroll(1)", "Down", id="output.down", show=False, tooltip="One line down"),
        Binding("pageup", "page(-1)", "Page up", id="output.page-up", show=False, tooltip="One page up"),
        Binding(
            "pagedown,space", "page(1)", "Page", id="output.page-down", show=False, tooltip="One page down"
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

    @dataclass
    class LineClicked(Message):
        """A line was clicked; `text` is what the program wrote in it."""

        text: str

    following: reactive[bool] = reactive(True)
    wrapped: reactive[bool] = reactive(False)
    live: reactive[bool] = reactive(True)
    """Whether more output may come."""
    hint: reactive[str] = reactive("")
    """The text shown where there is no output."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._empty()

    def _empty(self) -> None:
        self._lines = OutputLines()
        self._rows = OutputRows(self._lines)
        self._inbox: list[OutputChunk] = []
        self._strips: dict[tuple[int, int], Strip] = {}
        self._search = OutputSearch()
        self._skip_frames = 0
        self._frame_at = 0.0

    def on_mount(self) -> None:
        """Draw at most thirty times a second."""
        self.set_interval(1 / FRAMES_PER_SECOND, self._frame)

    # --- input -------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Remove all output, and the search."""
        self._empty()
        self._lay_out()
        self.following = True

    def add(self, chunk: OutputChunk) -> None:
        """Add a chunk; the next frame draws it, which comes at once where none came just now."""
        if not self._inbox and monotonic() - self._frame_at > 1 / FRAMES_PER_SECOND:
            self.call_later(self._frame)
        self._inbox.append(chunk)

    def lines(self, of: Stream | None = None) -> list[str]:
        """Return the lines that are kept, all or those of one stream."""
        self._drain()
        return [text for stream, text in self._lines if of in {None, stream}]

    @property
    def dropped(self) -> int:
        """How many older lines are no longer kept."""
        return self._lines.dropped

    def _frame(self) -> None:
        if self._skip_frames:
            self._skip_frames -= 1
        elif self._inbox:
            self._frame_at = monotonic()
            before = self._lines.end
            self._drain()
            self._skip_frames = FLOOD_FRAMES if self._lines.end - before > FLOOD_LINES else 0
            if not before:
                paint_at_once(self)

    def _drain(self) -> None:
        inbox, self._inbox = self._inbox, []
        bottom = self.scroll_offset.y + self.size.height
        before, unfinished = self._rows.total, self._lines.finished
        self._lines.take(inbox)
        self._strips = {place: strip for place, strip in self._strips.items() if place[0] < unfinished}
        dropped = self._rows.update()
        self._fit()
        if self.following:
            self.scroll_to(y=self._rows.total, animate=False)
        elif dropped:
            self.scroll_to(y=max(0, self.scroll_offset.y - dropped), animate=False)
        if self.following or dropped or bottom >= before - len(Stream):
            self.refresh()

    def on_click(self, event: Click) -> None:
        """Tell which line was clicked."""
        row = event.y - self.gutter.top + int(self.scroll_offset.y)
        if 0 <= row < self._rows.total:
            self.post_message(self.LineClicked(self._lines.at(self._rows.at(row)[0])[1]))

    # --- layout -----------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        cells = max(8, drawing_size(self).width - SIGN_CELLS)
        self._rows = OutputRows(self._lines, cells if self.wrapped else None)
        self._strips.clear()
        self._fit()
        if self.following:
            self.scroll_to(y=self._rows.total, animate=False)
        self.refresh()

    def _fit(self) -> None:
        """Update only the scroll bar: a layout of the whole screen for every frame costs too much."""
        size = Size(self.size.width, self._rows.total)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def on_resize(self) -> None:
        """Lay the rows out for the new size."""
        self._lay_out()

    def watch_wrapped(self) -> None:
        """Lay the rows out again, with the same line on top."""
        number, _ = self._rows.at(int(self.scroll_offset.y))
        self._lay_out()
        if not self.following:
            self.scroll_to(y=self._rows.row_of(number), animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Stop following on scrolling up; follow again at the end."""
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value + self.size.height >= self._rows.total - 1

    def notify_style_update(self) -> None:
        """Drop lines drawn in the colours of another theme."""
        super().notify_style_update()
        self._strips.clear()

    # --- drawing ----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width, base = drawing_size(self).width, self.visual_style.rich_style
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
        if len(self._strips) > MAX_STRIPS:
            self._strips.clear()
        width, base = drawing_size(self).width, self.visual_style.rich_style
        stream, text = self._lines.at(number)
        sign = Segment("▎ ", base + style_of(self, "stderr" if stream is Stream.STDERR else "line"))
        plain = base + style_of(self, stream.value)
        line = readable(segments(text, plain), plain, self.app.ansi_theme)
        if self._search.pattern is not None:
            line = highlighted(line, self._search.pattern, style_of(self, "on found"))
        rows = folded(line, width - SIGN_CELLS) if self.wrapped else [line]
        for index, row in enumerate(rows):
            strip = Strip([sign, *row])
            if strip.cell_length > width:
                more = Segment("›", base + style_of(self, "warning bold"))
                strip = Strip.join([strip.crop(0, width - 1), Strip([more])])
            self._strips[(number, index)] = strip.adjust_cell_length(width, base)

    # --- search and position ----------------------------------------------------------------------

    def summary(self) -> list[Part]:
        """Return which part of the output is in view, and what is missing from it."""
        lines, total = self._lines, self._rows.total
        parts: list[Part] = []
        if self.live:
            parts = [("following  ", "success") if self.following else ("not following  ", "warning")]
        parts.append((f"{many(lines.end, 'line')}  ", "muted"))
        if not self.following:
            number, _ = self._rows.at(min(int(self.scroll_offset.y), max(0, total - 1)))
            parts.append((f"from line {number + 1:,}  ", "muted"))
        if self._search.pattern is not None:
            parts.append((f"{self._search.position}  ", "accent"))
        if lines.dropped:
            parts.append((f"{many(lines.dropped, 'older line')} dropped from this view  ", "warning"))
        if lines.clipped:
            parts.append((f"{many(lines.clipped, 'character')} of long lines not shown  ", "warning"))
        return parts

    def search(self, words: str) -> int:
        """Mark every match in the lines that are kept, go to the last, and return how many lines match."""
        self._drain()
        lines = enumerate((text for _, text in self._lines), start=self._lines.dropped)
        self._search = OutputSearch(words, lines)
        self._strips.clear()
        self.refresh()
        self.next_match(-1)
        return self._search.count

    def next_match(self, step: int) -> None:
        """Go to the next (1) or previous (-1) line that matches."""
        if (number := self._search.step(step)) is not None:
            row = self._rows.row_of(number)
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)

    def action_scroll(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by pages."""
        self.scroll_to(y=self.scroll_offset.y + step * max(1, self.size.height - 1), animate=False)

    def action_top(self) -> None:
        """Go to the oldest line."""
        self.scroll_to(y=0, animate=False)

    def action_follow(self) -> None:
        """Go to the newest line and follow."""
        self.following = True
        self.scroll_to(y=self._rows.total, animate=False)

    def toggle_follow(self) -> None:
        """Follow the newest line, or stop following."""
        if self.following:
            self.following = False
        else:
            self.action_follow()
