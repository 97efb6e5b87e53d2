"""The terminal's own graphics: kitty's protocol, or sixels. Pure.

What is sent is made here of decoded pixels alone: digits, base64 and the sixel alphabet between our own
brackets. No byte of a guest's file is in it, and nothing that makes the terminal answer.

Sources: kitty's graphics protocol with Unicode placeholders
(https://sw.kovidgoyal.net/kitty/graphics-protocol/); DEC STD 070, sixels.
"""

from __future__ import annotations

import zlib
from base64 import standard_b64encode
from collections.abc import Mapping
from enum import StrEnum
from itertools import groupby

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from console.pictures.pixels import Pixels

CELL = (10, 20)
"""The default width and height of a cell in pixels."""
CHUNK = 4096
PLACEHOLDER = "\U0010eeee"
FIRST_ID = 0x507200
"""The first ID of our pictures; the ID is the colour of the placeholders."""
_RANGES = (
    "305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1 5a8-5a9 "
    "5ab-5ac 5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733 735-736 73a 73d "
    "73f-741 743 745 747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954 f82-f83 f86-f87 "
    "135d-135f 17dd 193a 1a17 1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1 1dc3-1dc9 "
    "1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1 2de0-2dff"
)


def _numbers() -> str:
    ends = [(each.partition("-")[0], each.rpartition("-")[2]) for each in _RANGES.split()]
    return "".join(chr(code) for first, last in ends for code in range(int(first, 16), int(last, 16) + 1))


NUMBERS = _numbers()
"""The combining characters that number the rows and columns of a placeholder, from 0."""


class GraphicsMode(StrEnum):
    """How the terminal draws pictures."""

    CELLS = "cells"
    KITTY = "kitty"
    SIXEL = "sixel"


def graphics_mode(wanted: str, environment: Mapping[str, str]) -> GraphicsMode:
    """Return the mode that the user set, or the one for the terminal named in the environment.

    Nothing is asked of the terminal, since answers would arrive as keys. A multiplexer draws cells.
    """
    if wanted != "auto":
        return GraphicsMode(wanted)
    if any(environment.get(name) for name in ("TMUX", "STY", "ZELLIJ")):
        return GraphicsMode.CELLS
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if term in {"xterm-kitty", "xterm-ghostty"} or environment.get("KITTY_WINDOW_ID") or program == "ghostty":
        return GraphicsMode.KITTY
    known = term.partition("-")[0] in {"foot", "mlterm", "contour"} or program in {"WezTerm", "mintty"}
    return GraphicsMode.SIXEL if known else GraphicsMode.CELLS


def box(pixels: Pixels) -> tuple[int, int]:
    """Return how many columns and lines of cells a picture takes."""
    return min(len(NUMBERS), -(-pixels.width // CELL[0])), min(len(NUMBERS), -(-pixels.height // CELL[1]))


def kitty(pixels: Pixels, id: int) -> str:
    """Return the escape sequences that transmit a picture, which appears at its placeholders."""
    columns, lines = box(pixels)
    packed = standard_b64encode(zlib.compress(pixels.data)).decode()
    keys = f"a=T,U=1,f=24,o=z,i={id},s={pixels.width},v={pixels.height},c={columns},r={lines},"
    sent = []
    for at in range(0, len(packed), CHUNK):
        more = int(at + CHUNK < len(packed))
        sent.append(f"\x1b_G{keys}q=2,m={more};{packed[at : at + CHUNK]}\x1b\\")
        keys = ""
    return "".join(sent)


def delete_image(id: int) -> str:
    """Return the escape sequence that deletes a picture from the terminal's memory."""
    return f"\x1b_Ga=d,d=I,i={id},q=2\x1b\\"


def placeholders(pixels: Pixels, id: int) -> list[Strip]:
    """Return the placeholder lines of a picture; their colour is its ID."""
    columns, lines = box(pixels)
    style = Style(color=Color.from_rgb(id >> 16 & 255, id >> 8 & 255, id & 255))
    return [
        Strip([Segment("".join(PLACEHOLDER + row + NUMBERS[at] for at in range(columns)), style)], columns)
        for row in NUMBERS[:lines]
    ]


def sixel(pixels: Pixels) -> str:
    """Return a picture as sixels in 216 colours."""
    used = [_colour(pixels.data, at) for at in range(0, len(pixels.data), 3)]
    palette = "".join(
        f"#{each};2;{each // 36 * 20};{each // 6 % 6 * 20};{each % 6 * 20}" for each in sorted(set(used))
    )
    rows = [used[at : at + pixels.width] for at in range(0, len(used), pixels.width)]
    bands = "-".join(_band(rows[at : at + 6]) for at in range(0, len(rows), 6))
    return f'\x1bP0;1q"1;1;{pixels.width};{pixels.height}{palette}{bands}\x1b\\'


def _colour(data: bytes, at: int) -> int:
    red, green, blue = ((each + 25) // 51 for each in data[at : at + 3])
    return red * 36 + green * 6 + blue


def _band(rows: list[list[int]]) -> str:
    """Return six lines of pixels as a sixel band: one bit mask per column for each colour."""
    masks: dict[int, list[int]] = {}
    for bit, row in enumerate(rows):
        for column, colour in enumerate(row):
            masks.setdefault(colour, [0] * len(row))[column] |= 1 << bit
    return "$".join(f"#{colour}" + _runs(columns) for colour, columns in masks.items())


def _runs(columns: list[int]) -> str:
    lengths = ((chr(63 + mask), len(list(same))) for mask, same in groupby(columns))
    return "".join(f"!{length}{sign}" if length > 3 else sign * length for sign, length in lengths)
