"""A picture as half blocks: two pixels in each cell, the upper one as its colour, the lower one behind it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from engine.problem import Problem

DECODER = Path(__file__).with_name("decode.py")
PATIENCE_SECONDS = 15.0


@dataclass(frozen=True)
class Pixels:
    """A small picture: three bytes for each pixel, line by line."""

    width: int
    height: int
    data: bytes

    def strips(self) -> list[Strip]:
        """Return the picture as lines of cells."""
        return [
            Strip([self._cell(column, row) for column in range(self.width)], self.width)
            for row in range(0, self.height, 2)
        ]

    def _cell(self, column: int, row: int) -> Segment:
        upper = self._colour(column, row)
        lower = self._colour(column, row + 1) if row + 1 < self.height else None
        return Segment("▀", Style(color=upper, bgcolor=lower))

    def _colour(self, column: int, row: int) -> Color:
        at = (row * self.width + column) * 3
        return Color.from_rgb(*self.data[at : at + 3])


async def decoded(png: bytes, columns: int, lines: int) -> Pixels:
    """Return a PNG made small enough for `columns` by `lines` cells, decoded in a process of its own.

    Raises:
        Problem: it is no PNG that can be drawn, or took too long.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", str(DECODER), str(columns), str(lines * 2), env={},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer, _ = await process.communicate(png)
    except TimeoutError:
        raise Problem(422, "the picture takes too long to draw") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _pixels(answer, columns, lines * 2) if process.returncode == 0 else _refuse(answer)


def _pixels(answer: bytes, columns: int, rows: int) -> Pixels:
    size, _, data = answer.partition(b"\n")
    width, height = (int(each) for each in size.split())
    if not (0 < width <= columns and 0 < height <= rows and len(data) == width * height * 3):
        raise Problem(422, "the picture cannot be drawn")
    return Pixels(width, height, data)


def _refuse(answer: bytes) -> Pixels:
    why = answer[:100].decode("ascii", "replace") or "too large, or broken"
    raise Problem(422, f"the picture cannot be drawn: {why}")
