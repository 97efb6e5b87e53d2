"""The message of an error behind the line that failed, and a sign in the gutter."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from console.safety.text import clip
from engine.common.text import Untrusted

SIGN = "! "
SHORTEST = 12
"""Cells of a message that is worth showing; less is left out."""
GAP = 2


def with_error(strip: Strip, message: Untrusted, gutter: int, style: Style) -> Strip:
    """Return a drawn line with the sign in its gutter, and behind its text what fits of a message."""
    width = strip.cell_length
    drawn = [strip.crop(0, gutter - len(SIGN)), Strip([Segment(SIGN, style)])]
    end = max(gutter, cell_len(strip.text.rstrip()) + GAP)
    if width - end < SHORTEST or not message:
        return Strip.join([*drawn, strip.crop(gutter, width)])
    words = Strip([Segment(clip(message, width - end), style)])
    return Strip.join([*drawn, strip.crop(gutter, end), words, strip.crop(end + words.cell_length, width)])
