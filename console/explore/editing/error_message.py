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
UP = "↑ "
"""Precedes a message that stands in the row below its line."""


def is_below(message: Untrusted, room: int, room_below: int) -> bool:
    """Return whether a message stands in the row below: it has to be cut in its own, and less of it there."""
    return cell_len(message.text) > room and room_below - len(UP) > room


def with_sign(strip: Strip, gutter: int, style: Style) -> Strip:
    """Return a drawn line with the sign in its gutter."""
    sign = Strip([Segment(SIGN, style)])
    return Strip.join([strip.crop(0, gutter - len(SIGN)), sign, strip.crop(gutter, strip.cell_length)])


def with_message(strip: Strip, message: str, gutter: int, style: Style) -> Strip:
    """Return a drawn line with what fits of a message behind its text."""
    width = strip.cell_length
    end = max(gutter, cell_len(strip.text.rstrip()) + GAP)
    if width - end < SHORTEST or not message:
        return strip
    words = Strip([Segment(clip(Untrusted(message), width - end), style)])
    return Strip.join([strip.crop(0, end), words, strip.crop(end + words.cell_length, width)])
