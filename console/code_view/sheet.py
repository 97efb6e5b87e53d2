"""Code on the screen: every character, with numbers, colours, and violations under their exact spans."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable
from dataclasses import dataclass

from textual import work
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive

from console.code_view.drawing import CodeDrawing
from console.code_view.folds import Folds
from console.code_view.lines import Mark, marks_of, split_lines, width_of, wrap
from console.code_view.paint import Paint
from console.code_view.visibility import VisibilityTracker
from console.theming.highlight import highlight
from console.theming.styles import drawing_size
from console.widgets.repaint import set_virtual_size
from engine.common.text import Untrusted
from engine.models import Language, Violation

MOST_READ_FOLDED = 0.99
"""Code with a folded part was not read to its end."""


class CodeSheet(CodeDrawing):
    """Shows code, read only. Lines wrap unless asked otherwise: nothing lies off the screen."""

    current: reactive[int | None] = reactive(None, repaint=False)
    """The index of the violation that is looked at."""

    @dataclass
    class Scrolled(Message):
        """What is on screen changed; `read` is the part of the rows that was on screen so far."""

        view: CodeSheet
        read: float

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._seen = VisibilityTracker()
        self._folds = Folds()
        self._widest = 0
        self._width = 0

    # --- what is shown ----------------------------------------------------------------------------

    def show(
        self,
        code: Untrusted,
        language: Language,
        violations: tuple[Violation, ...],
        seen: Iterable[int] = (),
    ) -> None:
        """Show code from its first line, of which `seen` lines count; colours follow when they are ready."""
        self._paint = Paint(split_lines(code.text))
        self._paint.found = {}
        self._seen = VisibilityTracker(seen=seen)
        self._folds = Folds(self._paint.lines)
        self.set_reactive(CodeSheet.current, None)
        self.mark(violations)
        self.scroll_to(0, 0, animate=False)
        self._lay_out()
        self.call_after_refresh(self._colour, code.text, language)

    def mark(self, violations: tuple[Violation, ...]) -> None:
        """Mark the violations in the gutter and under their spans."""
        self._violations = violations
        self._paint.marks = marks_of(violations, self._paint.lines)
        self._bands = []
        self._redraw()

    def go_to(self, line: int) -> None:
        """Bring a line, counted from 1, a third down from the top."""
        wanted = max(0, min(line, len(self._paint.lines)) - 1)
        if self._folds.open(wanted):
            self._lay_out()
        row = next((index for index, row in enumerate(self._rows) if row.line >= wanted), 0)
        self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)

    @property
    def read(self) -> float:
        """Return the part of the rows that was on screen: 1 once every one was, and none is folded."""
        return min(self._seen.part, MOST_READ_FOLDED) if self._folds else self._seen.part

    @property
    def seen_lines(self) -> frozenset[int]:
        """Return the lines that were on screen from their first character to their last, counted from 1."""
        return frozenset(self._seen.lines)

    @property
    def cut(self) -> bool:
        """Say whether lines run past the right edge."""
        return not self.wrapped and self._widest > self._room

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines of the code, as they came."""
        return tuple(self._paint.lines)

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return len(self._paint.lines)

    # --- layout -----------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._width = self.size.width
        self._widest = 0 if self.wrapped else max((width_of(line) for line in self._paint.lines), default=0)
        self._rows = self._folds.kept(wrap(self._paint.lines, self._room if self.wrapped else None))
        self._bands = []
        self._seen = self._seen.laid_out(self._rows)
        width = drawing_size(self).width if self.wrapped else self._widest + self._paint.digits + 4
        set_virtual_size(self, Size(width, len(self._rows)))
        self._redraw()
        self.look()

    def look(self) -> None:
        """Note what is on screen now; whoever comes back to a screen calls this."""
        if self.app.screen is self.screen and not self.cut:
            top = int(self.scroll_offset.y)
            self._seen.note(top, top + drawing_size(self).height)
        self.post_message(self.Scrolled(self, self.read))

    def read_on(self) -> bool:
        """Bring the first row that was not on screen yet to the top; False where every one was."""
        if (row := self._seen.first_left) is not None:
            self.scroll_to(y=row, animate=False)
        return row is not None

    @work(exclusive=True, group="colour")
    async def _colour(self, code: str, language: Language) -> None:
        paint = self._paint
        paint.tokens = await asyncio.to_thread(highlight, code, language)
        self._redraw()

    def on_resize(self) -> None:
        """Wrap again where the width changed."""
        if self._paint.lines and self.size.width != self._width:
            top = self._rows[int(self.scroll_offset.y)].line if self._rows else 0
            self._lay_out()
            if top:
                self.go_to(top + 1)
        elif self._paint.lines:
            self.look()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Count what was on screen."""
        super().watch_scroll_y(old_value, new_value)
        self.look()

    def watch_wrapped(self, wrapped: bool) -> None:
        """Lay the lines out again."""
        self.styles.overflow_x = "hidden" if wrapped else "auto"
        if self._paint.lines:
            self._lay_out()

    def watch_current(self, before: int | None, index: int | None) -> None:
        """Bring the violation into sight; only its lines, and those of the one before, are painted anew."""
        self._paint.current = index
        marked = {line for line, marks in self._paint.marks.items() if _marks_any(marks, {before, index})}
        self._paint_anew(marked)
        if index is not None and index < len(self._violations):
            line = self._violations[index].span.line
            if not self._on_screen(line):
                self.go_to(line)

    def _on_screen(self, line: int) -> bool:
        top = int(self.scroll_offset.y)
        return any(row.line == line - 1 for row in self._rows[top : top + drawing_size(self).height])


def _marks_any(marks: Iterable[Mark], indices: Container[int | None]) -> bool:
    return any(mark.index in indices for mark in marks)
