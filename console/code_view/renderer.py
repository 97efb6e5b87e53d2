"""Draws code: for each row its number and mark, its text, and a line of the map of all of the code."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.code_view import minimap
from console.code_view.folds import FOLDED
from console.code_view.layout import CodeLayout
from console.code_view.lines import marks_of, spans_of
from console.code_view.paint import Paint
from console.theming.styles import drawing_size, style_of
from console.widgets.kept_lines import KeptLines
from engine.models import Level, Span, Violation

CACHED = 512


class CodeRenderer:
    """Draws the rows of a layout for a view, and keeps each until something about it changes."""

    def __init__(self, view: ScrollView) -> None:
        self._view = view
        self._kept = KeptLines(view)
        self._size = Size()
        self.layout = CodeLayout()
        self.paint = Paint()
        self.violations: tuple[Violation, ...] = ()
        self._bands: list[Level | None] = []
        self._strips: OrderedDict[int, Strip] = OrderedDict()

    def show(self, layout: CodeLayout, violations: tuple[Violation, ...], unproven: Iterable[Span]) -> None:
        """Draw other code, without colours until `paint` has its tokens."""
        self.layout, self.paint = layout, Paint(layout.lines)
        self.paint.unproven = spans_of(unproven, layout.lines)
        self.mark(violations)

    def mark(self, violations: tuple[Violation, ...]) -> None:
        """Mark the violations in the gutter and under their spans."""
        self.violations = violations
        self.paint.marks = marks_of(violations, self.paint.lines)
        self.redraw_all()

    @property
    def text_width(self) -> int:
        """Return the cells that the view leaves for the text of a row."""
        size = drawing_size(self._view)
        return max(8, size.width - self.paint.gutter_cells - self._map_cells(size.height))

    @property
    def content_width(self) -> int:
        """Return the cells of all that can be scrolled to."""
        wrapped = self.layout.width is not None
        return drawing_size(self._view).width if wrapped else self.layout.longest + self.paint.gutter_cells

    def _map_cells(self, height: int) -> int:
        fits = len(self.paint.lines) <= height
        return minimap.CELLS if self.violations and not fits else 0

    # --- what is drawn again ----------------------------------------------------------------------

    def forget(self) -> None:
        """Drop every row that was drawn."""
        self._strips.clear()

    def redraw(self) -> None:
        """Draw every row again."""
        self.forget()
        self._view.refresh()

    def redraw_all(self) -> None:
        """Draw every row and the map again."""
        self._bands = []
        self.redraw()

    def redraw_lines(self, lines: Container[int]) -> None:
        """Draw the rows of some lines again."""
        rows = self.layout.rows
        for at in [at for at in self._strips if rows[at].line in lines]:
            del self._strips[at]
        top = int(self._view.scroll_offset.y)
        for y, row in enumerate(rows[top : top + drawing_size(self._view).height]):
            if row.line in lines:
                self._view.refresh_line(top + y)

    # --- drawing ----------------------------------------------------------------------------------

    def measure(self) -> None:
        """Take in how large the view is; to be called before lines are drawn."""
        self._size = drawing_size(self._view)

    def line(self, y: int) -> Strip:
        """Draw line `y` of the view."""
        index = y + self._view.scroll_offset.y
        cells = self._map_cells(self._size.height)
        width = self._size.width - cells
        base = self._view.visual_style.rich_style
        if y >= 0 and index < len(self.layout.rows):
            gutter, text = self._row(index, base)
            drawn = Strip.join([gutter, self._visible_part(text, width - gutter.cell_length, base)])
        else:
            drawn = self._kept.line(width, lambda: Strip.blank(width, base))
        return Strip.join([drawn, self._map_line(y, base)]) if cells else drawn

    def _visible_part(self, text: Strip, cells: int, base: Style) -> Strip:
        left = self._view.scroll_offset.x
        part = text.crop_extend(left, left + cells, base)
        if self.layout.width is not None or text.cell_length <= left + cells:
            return part
        more = Segment("›", base + style_of(self._view, "warning bold"))
        return Strip.join([part.crop(0, cells - 1), Strip([more])])

    def _map_line(self, y: int, base: Style) -> Strip:
        height, rows = self._size.height, len(self.layout.rows)
        if y < 0 or not rows:
            return Strip([])
        if len(self._bands) != height:
            self._bands = minimap.bands(self.layout.rows, self.paint.marks, height)
        top = int(self._view.scroll_offset.y)
        on_screen = rows > height and top * height // rows <= y <= (top + height - 1) * height // rows
        return Strip(minimap.drawn(self._view, self._bands[y], base, on_screen=on_screen))

    def _row(self, index: int, base: Style) -> tuple[Strip, Strip]:
        row = self.layout.rows[index]
        if row.start == FOLDED:
            return self.paint.fold(row, base, self._view), Strip([])
        if index not in self._strips:
            self._strips[index] = self.paint.text(row, base, self._view)
            if len(self._strips) > CACHED:
                self._strips.popitem(last=False)
        return self.paint.gutter(row, base, self._view), self._strips[index]
