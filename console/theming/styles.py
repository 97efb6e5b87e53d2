"""Colours for widgets that draw their own lines: theme names in, Rich styles out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from console.safety.text import Part, visible_text

_ATTRIBUTES = frozenset({"bold", "italic", "underline", "reverse", "dim", "strike"})


def style_of(widget: Widget, words: str) -> Style:
    """Return the style of `words`: theme colours and attributes, `on NAME` for a background."""
    variables = widget.app.theme_variables
    style, background = Style.null(), False
    for word in words.split():
        if word == "on":
            background = True
            continue
        style += _attribute(word) if word in _ATTRIBUTES else _colour(variables[word], background)
        background = False
    return style


def drawing_size(widget: Widget) -> Size:
    """Return the cells that a line-drawing widget draws on: what its scroll bars leave of its size."""
    styles, size = widget.styles, widget.size
    barred = widget.show_vertical_scrollbar or styles.overflow_y == "scroll"
    across = widget.show_horizontal_scrollbar or styles.overflow_x == "scroll"
    return Size(
        max(0, size.width - styles.scrollbar_size_vertical * barred),
        max(0, size.height - styles.scrollbar_size_horizontal * across),
    )


def strip(widget: Widget, parts: Iterable[Part], width: int, base: Style) -> Strip:
    """Return one line of `parts` over `base`, made visible, cut or filled to `width` cells."""
    segments = [_segment(widget, part, base) for part in parts]
    return Strip(segments).adjust_cell_length(width, base)


def _segment(widget: Widget, part: Part, base: Style) -> Segment:
    if isinstance(part, tuple):
        return Segment(visible_text(part[0]), base + style_of(widget, part[1]))
    return Segment(visible_text(part), base)


@lru_cache(64)
def _attribute(word: str) -> Style:
    return Style.parse(word)


@lru_cache(256)
def _colour(value: str, background: bool) -> Style:
    colour = Color.parse(value).rich_color
    return Style(bgcolor=colour) if background else Style(color=colour)
