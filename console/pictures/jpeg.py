"""Pictures in baseline JPEG, decoded no larger than they are wanted.

Source: ITU-T T.81; JFIF 1.02 for the colours.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from console.pictures.jpeg_bits import Bits, Table, clamped, pixels
from console.pictures.shrink import Line, Refused, Thumbnail, bounded, scale, shrunk

SIGN = b"\xff\xd8\xff"
_OTHERS = {0xC2: "a progressive JPEG", 0xC3: "a lossless JPEG", 0xC9: "an arithmetic JPEG"}
_ZIGZAG = sorted(range(64), key=lambda at: (
    at // 8 + at % 8, (at // 8) if (at // 8 + at % 8) % 2 else (at % 8)))  # fmt: skip
"""Where each coefficient belongs, in the order in which they are stored."""


@dataclass
class Part:
    """One component: brightness, or a colour."""

    id: int
    across: int
    down: int
    quantities: int
    tables: tuple[int, int] = (0, 0)
    before: int = 0
    points: int = 8
    """How many pixels, across and down, a block of 8 by 8 is decoded to."""
    rows: list[bytearray] = field(default_factory=list)


@dataclass
class Picture:
    """What the segments before the data say."""

    width: int = 0
    height: int = 0
    parts: list[Part] = field(default_factory=list)
    quantities: dict[int, bytes | tuple[int, ...]] = field(default_factory=dict)
    codes: dict[int, Table] = field(default_factory=dict)
    restart: int = 0
    plain: bool = False
    """Whether its three parts are red, green and blue."""


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return a picture of at most `columns` by `rows` pixels."""
    picture, at = _read(data)
    width, height = picture.width, picture.height
    each = scale(width, height, columns, rows)
    points = next(size for size in (1, 2, 4, 8) if size * each >= 8)
    _scan(picture, data, at, points)
    wide, high = -(-width * points // 8), -(-height * points // 8)
    across, down = min(wide, max(1, int(width / each))), min(high, max(1, int(height / each)))
    return shrunk(_lines(picture, wide, high, points), wide, high, across, down)


def _read(data: bytes) -> tuple[Picture, int]:
    """Return what the segments say, and where the compressed data begins."""
    picture, at = Picture(), 2
    while data[at] == 0xFF:
        kind = data[at + 1]
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        body = data[at + 4 : at + 2 + length]
        at += 2 + length
        if kind in {0xC0, 0xC1}:
            _frame(picture, body)
        elif 0xC0 < kind < 0xD0 and kind not in {0xC4, 0xC8, 0xCC}:
            raise Refused(_OTHERS.get(kind, "an unknown kind of JPEG"))
        elif kind == 0xC4:
            _codes(picture, body)
        elif kind == 0xDB:
            _quantities(picture, body)
        elif kind == 0xDD:
            (picture.restart,) = struct.unpack(">H", body[:2])
        elif kind == 0xEE and body[:5] == b"Adobe":
            picture.plain = body[11] == 0
        elif kind == 0xDA:
            _begin(picture, body)
            return picture, at
    raise Refused("a broken JPEG")


def _frame(picture: Picture, body: bytes) -> None:
    depth, picture.height, picture.width, count = struct.unpack(">BHHB", body[:6])
    bounded(picture.width, picture.height)
    if depth != 8 or count not in {1, 3}:
        raise Refused("an unknown kind of JPEG")
    for at in range(6, 6 + 3 * count, 3):
        part = Part(body[at], body[at + 1] >> 4, body[at + 1] & 15, body[at + 2])
        if not (1 <= part.across <= 4 and 1 <= part.down <= 4):
            raise Refused("an unknown kind of JPEG")
        picture.parts.append(part)
    if count == 1:
        picture.parts[0].across = picture.parts[0].down = 1


def _codes(picture: Picture, body: bytes) -> None:
    while body:
        kind, counts = body[0], body[1:17]
        signs, body = body[17 : 17 + sum(counts)], body[17 + sum(counts) :]
        table: Table = []
        taken = iter(signs)
        for length, count in enumerate(counts, start=1):
            for _ in range(count):
                table += [(length, next(taken, 0))] * (1 << 16 - length)
        picture.codes[kind] = (table + [(0, 0)] * max(0, 65536 - len(table)))[:65536]


def _quantities(picture: Picture, body: bytes) -> None:
    while body:
        wide = body[0] >> 4
        picture.quantities[body[0] & 15] = struct.unpack(">64H", body[1:129]) if wide else body[1:65]
        body = body[129 if wide else 65 :]


def _begin(picture: Picture, body: bytes) -> None:
    if not picture.parts or body[0] != len(picture.parts):
        raise Refused("a JPEG in several scans")
    for number, part in enumerate(picture.parts):
        which, tables = body[1 + 2 * number : 3 + 2 * number]
        if which != part.id:
            raise Refused("a broken JPEG")
        part.tables = (tables >> 4, 16 | tables & 15)


def _scan(picture: Picture, data: bytes, at: int, points: int) -> None:
    """Decode every block into the rows of its part, `points` by `points` pixels large."""
    end = re.compile(rb"\xff[^\x00\xd0-\xd7]").search(data, at)
    pieces = re.split(rb"\xff[\xd0-\xd7]", data[at : end.start() if end else len(data)])
    most = max(part.across for part in picture.parts), max(part.down for part in picture.parts)
    over, under = -(-picture.width // (8 * most[0])), -(-picture.height // (8 * most[1]))
    for part in picture.parts:
        part.points = min(8, points * max(most[0] // part.across, most[1] // part.down))
        width = over * part.across * part.points
        part.rows = [bytearray(width) for _ in range(under * part.down * part.points)]
    each, step = picture.restart or over * under, 0
    for piece in pieces:
        bits = Bits(piece.replace(b"\xff\x00", b"\xff"))
        for part in picture.parts:
            part.before = 0
        for unit in range(step, min(step + each, over * under)):
            for part in picture.parts:
                _unit(picture, part, bits, unit % over, unit // over)
        step += each


def _unit(picture: Picture, part: Part, bits: Bits, column: int, row: int) -> None:
    points = part.points
    for down in range(part.down):
        for across in range(part.across):
            block = _block(picture, part, bits)
            left, top = (column * part.across + across) * points, (row * part.down + down) * points
            for line, row_pixels in enumerate(block):
                part.rows[top + line][left : left + points] = row_pixels


def _block(picture: Picture, part: Part, bits: Bits) -> list[bytes]:
    """Return the pixels of the next block."""
    points = part.points
    first, others = (picture.codes[each] for each in part.tables)
    quantities = picture.quantities[part.quantities]
    part.before += bits.number(bits.code(first))
    found = {0: part.before * quantities[0]}
    at = 1
    while at < 64:
        code = bits.code(others)
        skipped, size = code >> 4, code & 15
        if not size:
            if skipped < 15:
                break
            at += 16
            continue
        at += skipped
        value = bits.number(size)
        if at > 63:
            raise Refused("a broken JPEG")
        place = _ZIGZAG[at]
        if place % 8 < points and place // 8 < points:
            found[place] = value * quantities[at]
        at += 1
    return pixels(found, points)


def _lines(picture: Picture, width: int, height: int, points: int) -> Iterator[Line]:
    most = max(part.across for part in picture.parts), max(part.down for part in picture.parts)
    places = [
        [at * part.across * part.points // (most[0] * points) for at in range(width)]
        for part in picture.parts
    ]
    for number in range(height):
        rows = [
            bytes(map(part.rows[number * part.down * part.points // (most[1] * points)].__getitem__, place))
            for part, place in zip(picture.parts, places, strict=True)
        ]
        if len(rows) == 1:
            yield rows[0], rows[0], rows[0]
        else:
            yield (rows[0], rows[1], rows[2]) if picture.plain else _coloured(*rows)


def _coloured(light: bytes, blue: bytes, red: bytes) -> Line:
    """Return red, green and blue of brightness and two differences."""
    return (
        bytes(clamped(y + 1.402 * (r - 128)) for y, r in zip(light, red, strict=True)),
        bytes(clamped(y - 0.344136 * (b - 128) - 0.714136 * (r - 128))
              for y, b, r in zip(light, blue, red, strict=True)),
        bytes(clamped(y + 1.772 * (b - 128)) for y, b in zip(light, blue, strict=True)),
    )  # fmt: skip
