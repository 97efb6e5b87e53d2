"""A picture as half blocks: two pixels in each cell, the upper one as its colour, the lower one behind it."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from console.pictures.pixels import Pixels
from console.safety.bounded_process import answer_of
from engine.common.errors import Problem

DECODE_SECONDS = 20.0


def strips(pixels: Pixels) -> list[Strip]:
    """Return a picture as lines of cells."""
    return [
        Strip([_cell(pixels, column, row) for column in range(pixels.width)], pixels.width)
        for row in range(0, pixels.height, 2)
    ]


def _cell(pixels: Pixels, column: int, row: int) -> Segment:
    lower = _colour(pixels, column, row + 1) if row + 1 < pixels.height else None
    return Segment("▀", Style(color=_colour(pixels, column, row), bgcolor=lower))


def _colour(pixels: Pixels, column: int, row: int) -> Color:
    at = (row * pixels.width + column) * 3
    return Color.from_rgb(*pixels.data[at : at + 3])


async def decoded(picture: bytes, across: int, down: int) -> Pixels:
    """Return a picture of at most `across` by `down` pixels, decoded in a separate process.

    Raises:
        Problem: it is no picture that can be drawn, or took too long.
    """
    size = (str(across), str(down))
    good, answer = await answer_of("console.pictures.decode", *size, data=picture, seconds=DECODE_SECONDS)
    return _pixels(answer, across, down) if good else _refuse(answer)


def _pixels(answer: bytes, across: int, down: int) -> Pixels:
    size, _, data = answer.partition(b"\n")
    width, height = (int(each) for each in size.split())
    if not (0 < width <= across and 0 < height <= down and len(data) == width * height * 3):
        raise Problem(422, "the picture cannot be drawn")
    return Pixels(width, height, data)


def _refuse(answer: bytes) -> Pixels:
    why = answer[:100].decode("ascii", "replace") or "too large, or broken"
    raise Problem(422, f"the picture cannot be drawn: {why}")
