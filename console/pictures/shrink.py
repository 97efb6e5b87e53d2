"""What every decoder of pictures shares: when it refuses, and how lines of pixels become few pixels."""

from __future__ import annotations

from collections.abc import Iterable

MOST_PIXELS = 16_000_000

Line = tuple[bytes, bytes, bytes]
"""Red, green and blue of a line of pixels."""
Thumbnail = tuple[int, int, bytes]
"""Width, height and RGB bytes."""


class UnsupportedPicture(Exception):
    """The picture is none that can be drawn here."""


def bounded(width: int, height: int) -> None:
    """Refuse a picture without pixels, and one with too many."""
    if not 0 < width * height <= MOST_PIXELS:
        raise UnsupportedPicture(f"{width} x {height} pixels are too many" if width * height else "no pixels")


def scale(width: int, height: int, columns: int, rows: int) -> float:
    """Return how many pixels become one, across and down; never less than 1."""
    return max(width / columns, height / rows, 1.0)


def shrunk(lines: Iterable[Line], width: int, height: int, across: int, down: int) -> Thumbnail:
    """Return the mean colour of each of `across` by `down` parts."""
    edges = [width * at // across for at in range(across + 1)]
    sums, result = [0] * (across * 3), bytearray()
    taken = 0
    for number, line in enumerate(lines):
        if across == width and down == height:
            result += bytes(each for pixel in zip(*line, strict=True) for each in pixel)
            continue
        for at in range(across):
            for channel in range(3):
                sums[at * 3 + channel] += sum(line[channel][edges[at] : edges[at + 1]])
        taken += 1
        if (number + 1) * down // height > number * down // height:
            for at in range(across):
                count = taken * (edges[at + 1] - edges[at])
                result.extend(each // count for each in sums[at * 3 : at * 3 + 3])
            sums, taken = [0] * (across * 3), 0
    return across, down, bytes(result)
