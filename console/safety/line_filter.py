"""The second line of defence after `text`: a filter of every line that the app draws."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Characters that control a terminal or hide text. All are zero cells wide, so lines keep their length."""


class UnsafeTextFilter(LineFilter):
    """Delete control characters and links from every line, whichever widget drew it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with nothing in them but printable text and colour."""
        if all(_clean(segment) for segment in segments):
            return segments
        return [_cleaned(segment) for segment in segments]


def _clean(segment: Segment) -> bool:
    text, style, control = segment
    linked = style is not None and style.link is not None
    return (
        not control and not linked and ((text.isascii() and text.isprintable()) or not _UNSAFE.search(text))
    )


def _cleaned(segment: Segment) -> Segment:
    text, style, _ = segment
    return Segment(_UNSAFE.sub("", text), _unlinked(style) if style else None)


@lru_cache(1024)
def _unlinked(style: Style) -> Style:
    return style.update_link(None) if style.link else style
