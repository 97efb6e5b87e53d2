"""Parses the segments of a JPEG: size, components, tables, and the start of the next scan.

Source: ITU-T T.81, annex B; JFIF 1.02 for the colours.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from console.pictures.jpeg_bits import Table
from console.pictures.shrink import UnsupportedPicture, bounded

_OTHERS = {0xC3: "a lossless JPEG", 0xC9: "an arithmetic JPEG"}
ZIGZAG = sorted(range(64), key=lambda at: (
    at // 8 + at % 8, (at // 8) if (at // 8 + at % 8) % 2 else (at % 8)))  # fmt: skip
"""The position of each coefficient, in storage order."""


@dataclass
class Component:
    """One component: luma or chroma."""

    id: int
    across: int
    down: int
    quantities: int
    tables: tuple[int, int] = (0, 0)
    before: int = 0
    points: int = 8
    """The width and height in pixels to which an 8 by 8 block is decoded."""
    rows: list[bytearray] = field(default_factory=list)
    stride: int = 0
    """How many blocks are in a row."""

    def put(self, block: list[bytes], column: int, row: int) -> None:
        """Store the pixels of a block."""
        left, top = column * self.points, row * self.points
        for line, pixels in enumerate(block):
            self.rows[top + line][left : left + self.points] = pixels


@dataclass
class JpegImage:
    """The contents of the segments before the data."""

    width: int = 0
    height: int = 0
    components: list[Component] = field(default_factory=list)
    quantities: dict[int, bytes | tuple[int, ...]] = field(default_factory=dict)
    codes: dict[int, Table] = field(default_factory=dict)
    restart: int = 0
    progressive: bool = False
    scan: bytes = b""
    """The header of the next scan."""
    plain: bool = False
    """Whether its components are red, green and blue."""

    @property
    def most(self) -> tuple[int, int]:
        """The largest number of blocks of a component in a unit, across and down."""
        return max(component.across for component in self.components), max(
            component.down for component in self.components
        )

    @property
    def units(self) -> tuple[int, int]:
        """The number of units, across and down."""
        across, down = self.most
        return -(-self.width // (8 * across)), -(-self.height // (8 * down))


def read(image: JpegImage, data: bytes, at: int) -> int:
    """Parse the segments from `at` on; return the start of a scan's data, or 0 at the end."""
    while data[at] == 0xFF and data[at + 1] != 0xD9:
        kind = data[at + 1]
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        body = data[at + 4 : at + 2 + length]
        at += 2 + length
        if kind == 0xDA:
            image.scan = body
            return at
        _take(image, kind, body)
    if data[at] != 0xFF:
        raise UnsupportedPicture("a broken JPEG")
    return 0


def _take(image: JpegImage, kind: int, body: bytes) -> None:
    if kind in {0xC0, 0xC1, 0xC2}:
        image.progressive = kind == 0xC2
        _frame(image, body)
    elif 0xC0 < kind < 0xD0 and kind not in {0xC4, 0xC8, 0xCC}:
        raise UnsupportedPicture(_OTHERS.get(kind, "an unknown kind of JPEG"))
    elif kind == 0xC4:
        _codes(image, body)
    elif kind == 0xDB:
        _quantities(image, body)
    elif kind == 0xDD:
        (image.restart,) = struct.unpack(">H", body[:2])
    elif kind == 0xEE and body[:5] == b"Adobe":
        image.plain = body[11] == 0


def _frame(image: JpegImage, body: bytes) -> None:
    depth, image.height, image.width, count = struct.unpack(">BHHB", body[:6])
    bounded(image.width, image.height)
    if image.components:
        raise UnsupportedPicture("a broken JPEG")
    if depth != 8 or count not in {1, 3}:
        raise UnsupportedPicture("an unknown kind of JPEG")
    for at in range(6, 6 + 3 * count, 3):
        component = Component(body[at], body[at + 1] >> 4, body[at + 1] & 15, body[at + 2])
        if not (1 <= component.across <= 4 and 1 <= component.down <= 4):
            raise UnsupportedPicture("an unknown kind of JPEG")
        image.components.append(component)
    if count == 1:
        image.components[0].across = image.components[0].down = 1


def _codes(image: JpegImage, body: bytes) -> None:
    while body:
        kind, counts = body[0], body[1:17]
        signs, body = body[17 : 17 + sum(counts)], body[17 + sum(counts) :]
        table: Table = []
        taken = iter(signs)
        for length, count in enumerate(counts, start=1):
            for _ in range(count):
                table += [(length, next(taken, 0))] * (1 << 16 - length)
        image.codes[kind] = (table + [(0, 0)] * max(0, 65536 - len(table)))[:65536]


def _quantities(image: JpegImage, body: bytes) -> None:
    while body:
        wide = body[0] >> 4
        image.quantities[body[0] & 15] = struct.unpack(">64H", body[1:129]) if wide else body[1:65]
        body = body[129 if wide else 65 :]


def chosen(image: JpegImage) -> list[Component]:
    """Return the components of the next scan, with their tables set."""
    found = []
    for number in range(image.scan[0]):
        which, tables = image.scan[1 + 2 * number : 3 + 2 * number]
        component = next((each for each in image.components if each.id == which), None)
        if component is None or component in found:
            raise UnsupportedPicture("a broken JPEG")
        component.tables = (tables >> 4, 16 | tables & 15)
        found.append(component)
    return found
