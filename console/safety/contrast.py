"""Keeps text in colours that a guest chose readable: text in the colour of its background is hidden."""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme

LEAST_CONTRAST = 1.6
"""Of 1 to 21, as WCAG 2 counts it; what is nearer to its background is drawn in the ordinary colour."""
BLACK, WHITE = Color.from_rgb(0, 0, 0), Color.from_rgb(255, 255, 255)


def readable(segments: list[Segment], base: Style, theme: TerminalTheme) -> list[Segment]:
    """Return segments in colours that contrast with their background, over `base`."""
    return [
        each if each.style is None or each.style == base
        else Segment(each.text, _readable(each.style, base, theme), each.control)
        for each in segments
    ]  # fmt: skip


@lru_cache(1024)
def _readable(style: Style, base: Style, theme: TerminalTheme) -> Style:
    behind = style.bgcolor or base.bgcolor or Color.default()
    for colour in (style.color, base.color, WHITE):
        if colour is not None and _contrast(colour, behind, theme) >= LEAST_CONTRAST:
            return style if colour == style.color else style + Style(color=colour)
    return style + Style(color=BLACK)


def _contrast(colour: Color, behind: Color, theme: TerminalTheme) -> float:
    dark, light = sorted(
        (_luminance(colour, theme, foreground=True), _luminance(behind, theme, foreground=False))
    )
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color, theme: TerminalTheme, *, foreground: bool) -> float:
    """Return the relative luminance of sRGB (IEC 61966-2-1), 0 to 1."""
    parts = [value / 255 for value in colour.get_truecolor(theme, foreground=foreground)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
