"""Blocks of a JPEG: Huffman codes and numbers from bits, and pixels by the inverse DCT.

Source: ITU-T T.81, annexes A and F.
"""

from __future__ import annotations

import math

from console.pictures.shrink import UnsupportedPicture

Table = list[tuple[int, int]]
"""For each 16 bits: the length of the code they start with (0: none), and its value."""


class Bits:
    """Reads codes and numbers from entropy-coded data."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._end = data + bytes(8), 0, len(data) * 8

    def code(self, table: Table) -> int:
        """Return the value of the next code."""
        place, shift = self._at >> 3, 8 - (self._at & 7)
        data = self._data
        if self._at >= self._end + 32:
            raise UnsupportedPicture("a JPEG that ends too early")
        window = (data[place] << 16 | data[place + 1] << 8 | data[place + 2]) >> shift & 0xFFFF
        length, sign = table[window]
        if not length:
            raise UnsupportedPicture("a broken JPEG")
        self._at += length
        return sign

    def number(self, size: int) -> int:
        """Return the next number of `size` bits; those whose first bit is 0 are negative."""
        value = self.plain(size)
        return value if not size or value >> size - 1 else value - (1 << size) + 1

    def plain(self, size: int) -> int:
        """Return the next `size` bits as an unsigned number."""
        if not size:
            return 0
        if self._at >= self._end or size > 16:
            raise UnsupportedPicture("a JPEG that ends too early")
        place, shift = self._at >> 3, 24 - (self._at & 7) - size
        data = self._data
        value = (data[place] << 16 | data[place + 1] << 8 | data[place + 2]) >> shift & (1 << size) - 1
        self._at += size
        return value


def _waves(points: int) -> list[list[float]]:
    return [
        [
            math.sqrt((2 if wave else 1) / points) * math.cos((2 * at + 1) * wave * math.pi / (2 * points))
            for at in range(points)
        ]
        for wave in range(points)
    ]


_WAVES = {points: _waves(points) for points in (1, 2, 4, 8)}


def pixels(found: dict[int, int], points: int) -> list[bytes]:
    """Return the pixels of a block by the inverse DCT."""
    if len(found) == 1:
        return [bytes([clamped(found[0] / 8 + 128)]) * points] * points
    waves = _WAVES[points]
    across: dict[int, list[float]] = {}
    for place, amount in found.items():
        sums = across.setdefault(place // 8, [0.0] * points)
        wave, size = waves[place % 8], amount * points / 8
        for at in range(points):
            sums[at] += size * wave[at]
    columns = [
        [sum(sums[at] * waves[row][line] for row, sums in across.items()) for at in range(points)]
        for line in range(points)
    ]
    return [bytes(clamped(each + 128) for each in line) for line in columns]


def clamped(value: float) -> int:
    """Return a sample clamped to a byte."""
    return min(255, max(0, round(value)))
