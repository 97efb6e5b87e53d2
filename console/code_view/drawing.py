"""How code is drawn: for each row its number and mark, its text, and a line of the map of all of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.code_view import minimap
from console.code_view.folds import FOLDED
from console.code_view.lines import Row
from console.code_view.paint import Paint
from console.theming.styles import drawing_size, style_of
from engine.models import Level, Violation

CACHED = 512


class CodeDrawing(ScrollView):
    """Draws the rows of a code, each once for as long as nothing about it changes."""

    wrapped: reactive[bool] = reactive(True)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._paint = Paint()
        self._rows: list[Row] = []
        self._violations: tuple[Violation, ...] = ()
        self._bands: list[Level | None] = []
        self._strips: OrderedDict[int, Strip] = OrderedDict()

    @property
    def _room(self) -> int:
        return max(8, drawing_size(self).width - self._paint.digits - 4 - self._map_cells)

    @property
    def _map_cells(self) -> int:
        fits = len(self._paint.lines) <= drawing_size(self).height
        return minimap.CELLS if self._violations and not fits else 0

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh()

    def _paint_anew(self, lines: Container[int]) -> None:
        for at in [at for at in self._strips if self._rows[at].line in lines]:
            del self._strips[at]
        top = int(self.scroll_offset.y)
        for y, row in enumerate(self._rows[top : top + drawing_size(self).height]):
            if row.line in lines:
                self.refresh_line(top + y)

    def notify_style_update(self) -> None:
        """Forget lines drawn in the colours of another theme."""
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        index = y + self.scroll_offset.y
        width = drawing_size(self).width - self._map_cells
        base = self.visual_style.rich_style
        if y < 0 or index >= len(self._rows):
            return Strip.join([Strip.blank(width, base), self._map_at(y, base)])
        gutter, text = self._drawn(index, base)
        left = self.scroll_offset.x
        cells = width - gutter.cell_length
        body = text.crop_extend(left, left + cells, base)
        if not self.wrapped and text.cell_length > left + cells:
            body = Strip.join(
                [body.crop(0, cells - 1), Strip([Segment("›", base + style_of(self, "warning bold"))])]
            )
        return Strip.join([gutter, body, self._map_at(y, base)])

    def _map_at(self, y: int, base: Style) -> Strip:
        height, rows = drawing_size(self).height, len(self._rows)
        if not self._map_cells or y < 0 or not rows:
            return Strip([])
        if len(self._bands) != height:
            self._bands = minimap.bands(self._rows, self._paint.marks, height)
        top = int(self.scroll_offset.y)
        on_screen = rows > height and top * height // rows <= y <= (top + height - 1) * height // rows
        return Strip(minimap.drawn(self, self._bands[y], base, on_screen=on_screen))

    def _drawn(self, index: int, base: Style) -> tuple[Strip, Strip]:
        row = self._rows[index]
        if row.start == FOLDED:
            return self._paint.fold(row, base, self), Strip([])
        if index not in self._strips:
            self._strips[index] = self._paint.text(row, base, self)
            if len(self._strips) > CACHED:
                self._strips.popitem(last=False)
        return self._paint.gutter(row, base, self), self._strips[index]
