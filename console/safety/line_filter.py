"""The second line of defence after `text`: a filter of every line that the app draws."""

from __future__ import annotations

from functools import lru_cache

from rich.cells import split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from engine.common.unicode.repertoire import outside


class UnsafeTextFilter(LineFilter):
    """Replace what is outside the repertoire, and links, in every line, whichever widget drew it.

    A line keeps the width that the toolkit counts: each of its cells that would differ is a `?`.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with nothing in them but printable text and colour."""
        if all(_clean(segment) for segment in segments):
            return segments
        return [_cleaned(segment) for segment in segments]


def _clean(segment: Segment) -> bool:
    text, style, control = segment
    linked = style is not None and style.link is not None
    return not control and not linked and _displayed(text)


def _displayed(text: str) -> bool:
    if text.isascii():
        return text.isprintable()
    return outside().search(text) is None or _is_picture(text)


def _is_picture(text: str) -> bool:
    """Return whether text is cells of a picture in kitty's protocol, which only the console itself draws."""
    if "\U0010eeee" not in text:
        return False
    from console.pictures.graphics import NUMBERS, PLACEHOLDER  # noqa: PLC0415  few terminals draw any

    return not text.translate(dict.fromkeys(map(ord, PLACEHOLDER + NUMBERS)))


def _cleaned(segment: Segment) -> Segment:
    text, style, _ = segment
    return Segment(text if _displayed(text) else _replaced(text), _unlinked(style) if style else None)


def _replaced(text: str) -> str:
    spans, _ = split_graphemes(text)
    pieces = ((text[start:end], cells) for start, end, cells in spans)
    return "".join("?" * cells if _is_unsafe(piece) else piece for piece, cells in pieces)


def _is_unsafe(piece: str) -> bool:
    """Return whether a piece of text is outside the repertoire, where no cell of a picture belongs."""
    return not piece.isprintable() if piece.isascii() else outside().search(piece) is not None


@lru_cache(1024)
def _unlinked(style: Style) -> Style:
    return style.update_link(None) if style.link else style
