"""A column before the line numbers, such as how often each line ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget

from console.theming.styles import style_of

Cell = tuple[tuple[str, str], ...]
"""Texts of the engine's own and their styles; as wide as the margin together."""


@dataclass(frozen=True)
class Margin:
    """The cells of some lines, counted from 1; the others are blank."""

    width: int = 0
    cells: Mapping[int, Cell] = field(default_factory=dict)

    def segments(self, line: int, base: Style, widget: Widget) -> list[Segment]:
        """Return the cell of a line."""
        if not self.width:
            return []
        cell = self.cells.get(line)
        if cell is None:
            return [Segment(" " * self.width, base)]
        return [Segment(text, base + style_of(widget, style)) for text, style in cell]
