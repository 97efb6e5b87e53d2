"""The lines that a run writes, drawn as they come: thirty times a second at most, and only those in sight."""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from console.run.output import OutputLines
from console.run.output_rows import OutputRows
from console.run.terminal import folded, segments
from console.safety.contrast import readable
from console.theming.styles import drawing_size, style_of
from console.theming.styles import strip as drawn
from console.widgets.painting import highlighted
from engine.models import OutputChunk, Stream

FRAMES_PER_SECOND = 30
FLOOD_LINES = 300
"""More lines than this in one frame are a flood, and the next frames are left out."""
FLOOD_FRAMES = 3
MOST_STRIPS = 1024
SIGN_CELLS = 2


class OutputSheet(ScrollView):
    """Shows stdout and stderr in the order in which they came; follows the end while it is at the end."""

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
        cells = max(8, drawing_size(self).width - SIGN_CELLS)
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
        if len(self._strips) > MOST_STRIPS:
            self._strips.clear()
        width, base = drawing_size(self).width, self.visual_style.rich_style
        stream, text = self._lines.at(number)
        sign = Segment("▎ ", base + style_of(self, "stderr" if stream is Stream.STDERR else "line"))
        plain = base + style_of(self, stream.value)
        line = readable(segments(text, plain), plain, self.app.ansi_theme)
        if self._pattern is not None:
            line = highlighted(line, self._pattern, style_of(self, "on found"))
        rows = folded(line, width - SIGN_CELLS) if self.wrapped else [line]
        for index, row in enumerate(rows):
            strip = Strip([sign, *row])
            if strip.cell_length > width:
                more = Segment("›", base + style_of(self, "warning bold"))
                strip = Strip.join([strip.crop(0, width - 1), Strip([more])])
            self._strips[(number, index)] = strip.adjust_cell_length(width, base)
