"""The code under review: moving about in it, searching, folding."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from console.code_view.folds import FOLDED
from console.code_view.lines import find
from console.code_view.sheet import CodeSheet
from console.theming.styles import drawing_size


class CodeView(CodeSheet, can_focus=True):
    """A sheet of code with keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Up", id="code.up", show=False, tooltip="One line up"),
        Binding("down,j", "scroll(1)", "Down", id="code.down", show=False, tooltip="One line down"),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", id="code.page-up", show=False, tooltip="One page up"),
        Binding("pagedown,ctrl+f,space", "page(1)", "Page", id="code.page-down", show=False,
                tooltip="One page down"),
        Binding("home", "top", "Top", id="code.top", show=False, tooltip="To the first line"),
        Binding("end,G", "bottom", "End", id="code.end", show=False, tooltip="To the last line"),
    ]  # fmt: skip
    DEFAULT_CSS = """
    CodeView { background: $background; color: $foreground; overflow-x: auto; overflow-y: scroll;
               scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hits: list[tuple[int, int, int]] = []
        self._hit = -1

    def search(self, words: str) -> int:
        """Mark every place of `words` and go to the first; return how many there are."""
        self._hits = find(self._paint.lines, words) if words else []
        self._paint.found = {}
        for line, start, end in self._hits:
            self._paint.found.setdefault(line, []).append((start, end))
        self._hit = -1
        self._redraw()
        self.next_hit(1)
        return len(self._hits)

    def next_hit(self, step: int) -> None:
        """Go to the next place that the search found, or the one before."""
        if self._hits:
            self._hit = (self._hit + step) % len(self._hits)
            self.go_to(self._hits[self._hit][0] + 1)

    def fold(self) -> bool:
        """Fold the block of the violation that is looked at, or the block at the top of the screen."""
        top = int(self.scroll_offset.y)
        line = self._rows[top].line if top < len(self._rows) else 0
        if self.current is not None and self._on_screen(self._violations[self.current].span.line):
            line = self._violations[self.current].span.line - 1
        return self._fold_at(line)

    def _fold_at(self, line: int) -> bool:
        first = self._folds.around(line)
        if first is not None:
            self._folds.fold(first)
            self._lay_out()
            self.go_to(first + 1)
        return first is not None

    def unfold(self) -> None:
        """Open every block."""
        top = self._rows[int(self.scroll_offset.y)].line if self._rows else 0
        self._folds.open_all()
        self._lay_out()
        self.go_to(top + 1)

    # --- keys -------------------------------------------------------------------------------------

    def action_scroll(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by pages, one line overlapping."""
        self.scroll_to(y=self.scroll_offset.y + step * max(1, drawing_size(self).height - 1), animate=False)

    def action_top(self) -> None:
        """Go to the first row."""
        self.scroll_to(0, 0, animate=False)

    def action_bottom(self) -> None:
        """Go to the last row."""
        self.scroll_to(y=len(self._rows), animate=False)

    def on_click(self, event: events.Click) -> None:
        """Look at the violation under the mouse."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + int(self.scroll_offset.y)
        if 0 <= index < len(self._rows):
            if self._rows[index].start == FOLDED:
                self.go_to(self._rows[index].line + 2)
                return
            marks = self._paint.marks.get(self._rows[index].line)
            if marks:
                self.current = marks[-1].index
