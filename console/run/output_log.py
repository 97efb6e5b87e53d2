"""What a run writes, live: a bounded view over a stream that the engine keeps whole; moving about in it."""

from __future__ import annotations

import re
from typing import ClassVar

from textual.binding import Binding, BindingType

from console.run.output import KEPT_LINES
from console.run.output_sheet import OutputSheet
from console.run.terminal import plain
from console.safety.text import Part
from engine.common.plural import many

__all__ = ["KEPT_LINES", "OutputLog"]


class OutputLog(OutputSheet, can_focus=True):
    """A sheet of output with keys, a search, and words about what it shows."""

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

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hits: list[int] = []
        self._hit = -1

    def clear(self) -> None:
        """Forget everything, the search too."""
        super().clear()
        self._hits, self._hit = [], -1

    # --- what is said -----------------------------------------------------------------------------

    def summary(self) -> list[Part]:
        """Return where the view is, and what it leaves out, in words."""
        lines, total = self._lines, self._rows.total
        parts: list[Part] = []
        if self.live:
            parts = [("following  ", "success") if self.following else ("paused  ", "warning")]
        parts.append((f"{many(lines.end, 'line')}  ", "muted"))
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
