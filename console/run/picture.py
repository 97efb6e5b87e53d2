"""Shows a picture of a run as large as fits, with terminal graphics or half blocks."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from itertools import count

from textual import work
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from console.app.state import console_app
from console.pictures import graphics
from console.pictures.cells import decoded, strips
from console.pictures.graphics import CELL, FIRST_ID, GraphicsMode
from console.pictures.pixels import Pixels
from console.theming.styles import strip as drawn
from engine.common.errors import Problem

_IDS = count(FIRST_ID)


class PictureView(Widget):
    """Shows one picture, or why it cannot be shown."""

    DEFAULT_CSS = """
    PictureView { background: $background; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._picture = b""
        self._message = ""
        self._strips: list[Strip] = []
        self._sixels = ""
        self._known = 0

    def show(self, picture: bytes) -> None:
        """Show a picture."""
        self._picture = picture
        self._draw()

    def on_resize(self) -> None:
        """Draw again for the new size."""
        self._draw()

    def on_unmount(self) -> None:
        """Delete the picture from the terminal's memory."""
        self._delete()

    @property
    def graphics_mode(self) -> GraphicsMode:
        """How pictures are drawn here; a browser and NO_COLOR get cells."""
        app = console_app(self)
        wanted = app.preferences.pictures
        plain = app.is_web or app.no_color or app.console.color_system != "truecolor"
        if plain or (app.is_headless and wanted == "auto"):
            return GraphicsMode.CELLS
        return graphics.graphics_mode(wanted, os.environ)

    @work(exclusive=True)
    async def _draw(self) -> None:
        if not (self._picture and self.size.width and self.size.height):
            return
        self._strips, self._sixels, self._message = [], "", "Drawing …"
        self.refresh()
        graphics_mode = self.graphics_mode
        across, down = {GraphicsMode.CELLS: (1, 2), GraphicsMode.KITTY: CELL, GraphicsMode.SIXEL: cell()}[
            graphics_mode
        ]
        try:
            pixels = await decoded(self._picture, self.size.width * across, self.size.height * down)
        except Problem as problem:
            self._strips, self._sixels, self._message = [], "", str(problem)
        else:
            self._put(pixels, graphics_mode)
        self.refresh()

    def _put(self, pixels: Pixels, graphics_mode: GraphicsMode) -> None:
        self._delete()
        self._strips, self._sixels, self._message = [], "", ""
        if graphics_mode is GraphicsMode.SIXEL:
            self._sixels = graphics.sixel(pixels)
        elif graphics_mode is GraphicsMode.KITTY:
            self._known = next(_IDS)
            console_app(self).terminal.write(graphics.kitty(pixels, self._known))
            self._strips = graphics.placeholders(pixels, self._known)
        else:
            self._strips = strips(pixels)

    def _delete(self) -> None:
        if self._known:
            console_app(self).terminal.write(graphics.delete_image(self._known))
            self._known = 0

    # --- lines ------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines, then the sixels again, since every frame overwrites them."""
        if self._sixels:
            self.call_later(self._paint)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line of cells."""
        width, base = self.size.width, self.visual_style.rich_style
        if 0 <= y < len(self._strips):
            return self._strips[y].adjust_cell_length(width, base)
        words = self._message if y == 0 else ""
        return drawn(self, [(words, "warning")], width, base)

    def _paint(self) -> None:
        where = self.content_region
        if self._sixels and self.is_on_screen and self.screen.is_current:
            console_app(self).terminal.write(f"\x1b7\x1b[{where.y + 1};{where.x + 1}H{self._sixels}\x1b8")


def cell() -> tuple[int, int]:
    """Return the size of a cell in pixels from the terminal driver, or the default."""
    try:
        answer = fcntl.ioctl(sys.__stderr__.fileno(), termios.TIOCGWINSZ, bytes(8))  # type: ignore[union-attr]
    except (OSError, AttributeError, ValueError):
        return CELL
    lines, columns, across, down = struct.unpack("HHHH", answer)
    return (across // columns, down // lines) if lines and columns and across and down else CELL
