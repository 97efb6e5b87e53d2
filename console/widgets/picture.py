"""A picture that a run made, drawn as half blocks as large as there is room."""

from __future__ import annotations

from textual import work
from textual.strip import Strip
from textual.widget import Widget

from console.ink import strip as drawn
from console.pictures.cells import Pixels, decoded
from engine.problem import Problem


class PictureView(Widget):
    """Shows one PNG; says why where it cannot."""

    DEFAULT_CSS = """
    PictureView { background: $background; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._png = b""
        self._said = ""
        self._strips: list[Strip] = []

    def show(self, png: bytes) -> None:
        """Show a picture."""
        self._png = png
        self._draw()

    def on_resize(self) -> None:
        """Draw anew for the new room."""
        self._draw()

    @work(exclusive=True)
    async def _draw(self) -> None:
        if not (self._png and self.size.width and self.size.height):
            return
        try:
            pixels: Pixels = await decoded(self._png, self.size.width, self.size.height)
            self._strips, self._said = pixels.strips(), ""
        except Problem as problem:
            self._strips, self._said = [], str(problem)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of cells."""
        width, base = self.size.width, self.visual_style.rich_style
        if 0 <= y < len(self._strips):
            return self._strips[y].adjust_cell_length(width, base)
        words = self._said if y == 0 else ""
        return drawn(self, [(words, "warning")], width, base)
