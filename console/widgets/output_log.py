"""What a run writes, live: a bounded view over a stream that the engine keeps whole."""

from __future__ import annotations

import codecs
from collections import deque
from itertools import repeat
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.ink import ink
from console.ink import strip as drawn
from console.terminal import MAX_LINE, collapse, segments
from console.text import Part
from engine.models import OutputChunk, Stream

KEPT_LINES = 50_000
KEPT_CHARACTERS = 16_000_000
FRAMES_PER_SECOND = 30
Line = tuple[Stream, str]


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
            "end,G,f", "follow", "Follow", id="output.follow", show=False, tooltip="Follow the newest line"
        ),
    ]
    DEFAULT_CSS = """
    OutputLog { background: $background; color: $foreground; scrollbar-size-vertical: 1;
                scrollbar-size-horizontal: 1; overflow-x: hidden; }
    """

    following: reactive[bool] = reactive(True)
    hint: reactive[str] = reactive("")
    """What is said where there is no output."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._empty()

    def _empty(self) -> None:
        self._lines: deque[Line] = deque()
        self._characters = 0
        self.dropped = 0
        self.clipped = 0
        self._partial: dict[Stream, str] = {}
        self._inbox: list[OutputChunk] = []
        self._decoders = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in Stream}

    def on_mount(self) -> None:
        """Draw at most thirty times a second, however much arrives."""
        self.set_interval(1 / FRAMES_PER_SECOND, self._drain)

    def clear(self) -> None:
        """Forget everything."""
        self._empty()
        self.following = True
        self.virtual_size = Size(self.size.width, 0)
        self.refresh()

    def add(self, chunk: OutputChunk) -> None:
        """Take a chunk; it is drawn with the next frame."""
        self._inbox.append(chunk)

    def lines(self) -> list[str]:
        """Return the lines that are kept, as they came."""
        self._drain()
        return [text for _, text in self._all()]

    @property
    def count(self) -> int:
        """Return how many lines are kept, unfinished ones included."""
        return len(self._lines) + len(self._partial)

    def _all(self) -> list[Line]:
        return [*self._lines, *self._partial.items()]

    def _drain(self) -> None:
        if not self._inbox:
            return
        inbox, self._inbox = self._inbox, []
        for chunk in inbox:
            self._take(chunk.stream, self._decoders[chunk.stream].decode(chunk.data))
        self._forget()
        self._moved()

    def _take(self, stream: Stream, text: str) -> None:
        *finished, rest = (self._partial.pop(stream, "") + text).split("\n")
        if "\r" not in text and len(max(finished, key=len, default="")) <= MAX_LINE:
            self._lines.extend(zip(repeat(stream), finished, strict=False))
            self._characters += sum(map(len, finished))
        else:
            for line in finished:
                self._keep(stream, line)
        if rest:
            self._partial[stream] = self._short(collapse(rest) if len(rest) > MAX_LINE else rest)

    def _keep(self, stream: Stream, line: str) -> None:
        kept = self._short(collapse(line))
        self._lines.append((stream, kept))
        self._characters += len(kept)

    def _short(self, line: str) -> str:
        if len(line) <= MAX_LINE:
            return line
        self.clipped += len(line) - MAX_LINE
        return line[:MAX_LINE]

    def _forget(self) -> None:
        while len(self._lines) > KEPT_LINES or self._characters > KEPT_CHARACTERS:
            _, line = self._lines.popleft()
            self._characters -= len(line)
            self.dropped += 1

    def _moved(self) -> None:
        self.virtual_size = Size(self.size.width, self.count)
        if self.following:
            self.scroll_to(y=self.count, animate=False)
        self.refresh()

    def on_resize(self) -> None:
        """Fit to the new size."""
        self._moved()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Stop following when the person scrolls up; follow again at the end."""
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value + self.size.height >= self.count - 1

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width, base = self.size.width, self.visual_style.rich_style
        index = y + self.scroll_offset.y
        if not self.count and y == 1 and self.hint:
            return drawn(self, [" ", (self.hint, "muted")], width, base)
        if y < 0 or index >= self.count:
            return Strip.blank(width, base)
        stream, text = self._at(index)
        sign = Segment("▎ ", base + ink(self, "stderr" if stream is Stream.STDERR else "line"))
        style = base + ink(self, stream.value)
        return Strip([sign, *segments(text, style)]).adjust_cell_length(width, base)

    def _at(self, index: int) -> Line:
        if index < len(self._lines):
            return self._lines[index]
        return list(self._partial.items())[index - len(self._lines)]

    def summary(self) -> list[Part]:
        """Return what the view leaves out, in words."""
        parts: list[Part] = []
        if self.dropped:
            parts.append(
                (f"{self.dropped:,} older lines left this view; the engine counted them ", "warning")
            )
        if self.clipped:
            parts.append((f"{self.clipped:,} characters of long lines not shown ", "warning"))
        return parts

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
        self.scroll_to(y=self.count, animate=False)
