"""The map beside the code: where violations are, how severe they are, and which part is on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget

from console.code_view.lines import Mark, Row
from console.theming.styles import style_of
from console.widgets.formatting import SHAPES
from engine.models import Level

CELLS = 2


def bands(rows: Sequence[Row], marks: Mapping[int, list[Mark]], height: int) -> list[Level | None]:
    """Return the most severe violation in each of `height` equal parts of the rows."""
    worst: list[Level | None] = [None] * height
    for index, row in enumerate(rows):
        if found := marks.get(row.line):
            band, level = index * height // len(rows), found[-1].level
            known = worst[band]
            if known is None or level.rank > known.rank:
                worst[band] = level
    return worst


def drawn(widget: Widget, level: Level | None, base: Style, *, on_screen: bool) -> list[Segment]:
    """Return one line of the map: the shape of the most severe violation, a bar for what is on screen."""
    bar = Segment("▐" if on_screen else " ", base + style_of(widget, "muted"))
    if level is None:
        return [bar, Segment("·", base + style_of(widget, "line"))]
    return [bar, Segment(SHAPES[level], base + style_of(widget, f"bold risk-{level.value}"))]
