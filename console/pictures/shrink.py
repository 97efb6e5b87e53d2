"""Shared by the decoders: the size limit, and scaling down lines of pixels."""

from __future__ import annotations

from collections.abc import Iterable

MAX_PIXELS = 16_000_000

Line = tuple[bytes, bytes, bytes]
"""Red, green and blue of a line of pixels."""
Thumbnail = tuple[int, int, bytes]
"""Width, height and RGB bytes."""


class UnsupportedPicture(Exception):
    """The picture cannot be decoded here."""


def bounded(width: int, height: int) -> None:
    """Raise UnsupportedPicture for a picture with no or too many pixels."""
    if not 0 < width * height <= MAX_PIXELS:
        raise UnsupportedPicture(f"{width} x {height} pixels are too many" if width * height else "no pixels")


def scale(width: int, height: int, columns: int, rows: int) -> float:
    """Return the scaling factor, at least 1."""
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
