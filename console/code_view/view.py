"""The view of code: every character, with numbers, colours, and violations under their exact spans."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable
from typing import ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.code_view.colours import LineColours
from console.code_view.folds import FOLDED
from console.code_view.layout import CodeLayout
from console.code_view.lines import Mark
from console.code_view.margin import Margin
from console.code_view.renderer import CodeRenderer
from console.code_view.search import CodeSearch
from console.theming.highlight import is_loaded, lexer_of
from console.theming.styles import drawing_size
from console.widgets.repaint import set_virtual_size
from engine.common.text import Untrusted
from engine.models import Span, Violation

MOST_SECONDS = 0.5
"""What passed since the last look at most: a terminal that was suspended shows nothing."""
_FEW_ROWS = 3
COLOUR_SECONDS, PAUSE_SECONDS = 0.004, 0.002
"""How long colours are looked for before keys and frames have their turn, and how long that turn is."""


class CodeView(ScrollView, can_focus=True):
    """Shows code, read only: scrolls, searches and folds. Lines wrap unless `wrapped` is False."""

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

    wrapped: reactive[bool] = reactive(True)
    current: reactive[int | None] = reactive(None, repaint=False)
    """The index of the selected violation."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._renderer = CodeRenderer(self)
        self._code = self._renderer.layout
        self._colours = LineColours()
        self._search = CodeSearch()
        self._width = self._height = 0
        self.row_seconds = 0.0
        """How long each row has to be on screen until it counts as read; its share where several are new."""
        self._looked_at = 0.0
        self._on_screen = (0, 0)

    # --- what is shown ----------------------------------------------------------------------------

    def show(
        self,
        code: Untrusted,
        language: str,
        violations: tuple[Violation, ...],
        seen: Iterable[int] = (),
        unproven: Iterable[Span] = (),
    ) -> None:
        """Show code from its first line; `seen` lines count as read."""
        self._code = CodeLayout(code.text, seen)
        self._colours = LineColours(code.text, language)
        self.set_reactive(CodeView.current, None)
        self._renderer.show(self._code, violations, unproven)
        self._renderer.paint.tokens = self._colours.tokens
        self.scroll_to(0, 0, animate=False)
        self._lay_out()

    def mark_changed(self, lines: Iterable[int]) -> None:
        """Mark the lines, counted from 1, that are new in a revision; to be called after `show`."""
        self._renderer.paint.changed = frozenset(line - 1 for line in lines)
        self._renderer.redraw()

    def show_margin(self, margin: Margin) -> None:
        """Show a column before the line numbers; to be called after `show`."""
        before, self._renderer.paint.margin = self._renderer.paint.margin, margin
        if before.width != margin.width:
            self._lay_out()
        self._renderer.redraw()

    def go_to(self, line: int, *, top: bool = False) -> None:
        """Bring a line, counted from 1, a third down from the top, or to the top."""
        wanted = max(0, min(line, self.line_count) - 1)
        if self._code.unfold(wanted):
            self._lay_out()
        above = 0 if top else self.size.height // 3
        self.scroll_to(y=max(0, self._code.row_of(wanted) - above), animate=False)

    @property
    def seen_lines(self) -> frozenset[int]:
        """Return the lines that were on screen from their first character to their last, counted from 1."""
        return self._code.seen_lines

    @property
    def cut(self) -> bool:
        """Say whether lines run past the right edge."""
        return not self.wrapped and self._code.longest > self._renderer.text_width

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of the code, unchanged."""
        return tuple(self._code.lines)

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return len(self._code.lines)

    # --- layout -----------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._width = self.size.width
        self._code.lay_out(self._renderer.text_width if self.wrapped else None)
        set_virtual_size(self, Size(self._renderer.content_width, len(self._code.rows)))
        self._colour()
        self._renderer.redraw_all()
        self._on_screen = (0, 0)
        self.look()

    @property
    def _top(self) -> int:
        return int(self.scroll_offset.y)

    def look(self) -> None:
        """Note for how long what was on screen is; to be called often, and when a screen is shown again."""
        now = asyncio.get_running_loop().time()
        since, self._looked_at = min(now - self._looked_at, MOST_SECONDS), now
        if self.app.screen is not self.screen or self.cut:
            self._on_screen = (0, 0)
            return
        self._code.note_visible(*self._on_screen, since, self.row_seconds)
        self._on_screen = (self._top, drawing_size(self).height)
        if not self.row_seconds:
            self._code.note_visible(*self._on_screen)

    @property
    def seconds_left(self) -> float:
        """Return for how long this page has to stay on screen until all of it counts as read."""
        return self._code.seconds_left(*self._on_screen, self.row_seconds)

    def take_seconds(self) -> dict[int, float]:
        """Return for how long each line, counted from 1, was on screen since this was last asked."""
        return self._code.take_seconds()

    def read_on(self) -> bool:
        """Bring the first row that was not on screen yet to the top; False where every one was."""
        if (row := self._code.first_unread_row) is not None:
            self.scroll_to(y=row, animate=False)
        return row is not None

    @property
    def _last_line(self) -> int:
        """Return the last line that is on screen, or on the next page."""
        below = self._top + 2 * drawing_size(self).height
        return self._code.line_at(max(0, min(below, len(self._code.rows) - 1)))

    def _colour(self) -> None:
        """Find the colours of what is on screen: at once where that is quick."""
        line, colours = self._last_line, self._colours
        if colours.known(line) or (is_loaded(colours.language) and colours.read(line, COLOUR_SECONDS)):
            return
        self._colour_on()

    @work(exclusive=True, group="colour")
    async def _colour_on(self) -> None:
        if not is_loaded(self._colours.language):
            await asyncio.to_thread(lexer_of, self._colours.language)
        while not self._colours.read(self._last_line, COLOUR_SECONDS):
            await asyncio.sleep(PAUSE_SECONDS)
        self._renderer.redraw()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what changed of what is on screen."""
        self._renderer.measure()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        return self._renderer.line(y)

    def notify_style_update(self) -> None:
        """Drop lines drawn in the colours of another theme."""
        super().notify_style_update()
        self._renderer.forget()

    def on_resize(self) -> None:
        """Wrap again where the width changed; a selected violation that was in view stays in view."""
        kept = not self._height or self._current_visible(self._height)
        self._height = drawing_size(self).height
        if kept:
            self.call_after_refresh(self.show_current)
        if self._code.lines and self.size.width != self._width:
            top = self._code.line_at(self._top)
            self._lay_out()
            if top:
                self.go_to(top + 1)
        elif self._code.lines:
            self.look()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Note what is on screen, and colour it."""
        super().watch_scroll_y(old_value, new_value)
        self.look()
        self._colour()

    def watch_wrapped(self, wrapped: bool) -> None:
        """Lay the lines out again."""
        self.styles.overflow_x = "hidden" if wrapped else "auto"
        if self._code.lines:
            self._lay_out()

    def watch_current(self, before: int | None, index: int | None) -> None:
        """Scroll to the violation; only its lines, and those of the one before, are drawn again."""
        paint = self._renderer.paint
        paint.current = index
        marked = {line for line, marks in paint.marks.items() if _marks_any(marks, {before, index})}
        self._renderer.redraw_lines(marked)
        self.show_current()

    def show_current(self) -> None:
        """Bring the selected violation and the line after it into view, unless they are."""
        height = drawing_size(self).height
        if self.current is not None and not self._current_visible(height, int(height > _FEW_ROWS)):
            self.go_to(self._renderer.violations[self.current].span.line)

    def _current_visible(self, height: int, lines_after: int = 0) -> bool:
        if self.current is None or self.current >= len(self._renderer.violations):
            return True
        line = self._renderer.violations[self.current].span.line - 1
        last = min(line + lines_after, self.line_count - 1)
        return all(self._code.visible(each, self._top, height) for each in (line, last))

    # --- searching and folding --------------------------------------------------------------------

    def search(self, text: str) -> int:
        """Mark every match of `text` and go to the first; return how many there are."""
        self._search = CodeSearch(self._code.lines, text)
        self._renderer.paint.found = self._search.by_line
        self._renderer.redraw()
        self.next_match(1)
        return len(self._search)

    def next_match(self, step: int) -> None:
        """Go to the next or previous match of the search."""
        line = self._search.step(step)
        if line is not None:
            self.go_to(line + 1)

    def fold(self) -> bool:
        """Fold the block of the selected violation, or else the block at the top of the screen."""
        line = self._code.line_at(self._top)
        if self.current is not None:
            selected = self._renderer.violations[self.current].span.line
            line = selected - 1 if self._current_visible(drawing_size(self).height) else line
        first = self._code.fold(line)
        if first is not None:
            self._lay_out()
            self.go_to(first + 1)
        return first is not None

    def unfold(self) -> None:
        """Open every block."""
        top = self._code.line_at(self._top) + 1
        self._code.unfold_all()
        self._lay_out()
        self.go_to(top)

    # --- keys and mouse ---------------------------------------------------------------------------

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
        self.scroll_to(y=len(self._code.rows), animate=False)

    def on_click(self, event: events.Click) -> None:
        """Open the fold under the mouse, or select the violation there."""
        offset = event.get_content_offset(self)
        index = offset.y + self._top if offset is not None else -1
        if not 0 <= index < len(self._code.rows):
            return
        row = self._code.rows[index]
        if row.start == FOLDED:
            self.go_to(row.line + 2)
        elif marks := self._renderer.paint.marks.get(row.line):
            self.current = marks[-1].index


def _marks_any(marks: Iterable[Mark], indices: Container[int | None]) -> bool:
    return any(mark.index in indices for mark in marks)
