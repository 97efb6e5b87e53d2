"""Pictures in JPEG, baseline or progressive, decoded no larger than they are wanted.

Source: ITU-T T.81; JFIF 1.02 for the colours.
"""

from __future__ import annotations

from collections.abc import Iterator

from console.pictures import jpeg_scans
from console.pictures.jpeg_bits import Bits, clamped, pixels
from console.pictures.jpeg_segments import ZIGZAG, Part, Picture, chosen, read
from console.pictures.shrink import Line, Refused, Thumbnail, scale, shrunk

SIGN = b"\xff\xd8\xff"


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return a picture of at most `columns` by `rows` pixels."""
    picture = Picture()
    at = read(picture, data, 2)
    if not at or not picture.parts:
        raise Refused("a broken JPEG")
    width, height = picture.width, picture.height
    each = scale(width, height, columns, rows)
    points = next(size for size in (1, 2, 4, 8) if size * each >= 8)
    _lay_out(picture, points)
    if picture.progressive:
        jpeg_scans.decode(picture, data, at)
    else:
        _scan(picture, data, at)
    wide, high = -(-width * points // 8), -(-height * points // 8)
    across, down = min(wide, max(1, int(width / each))), min(high, max(1, int(height / each)))
    return shrunk(_lines(picture, wide, high, points), wide, high, across, down)


def _lay_out(picture: Picture, points: int) -> None:
    """Make room for the pixels of each part, `points` by `points` for a block of the largest."""
    most, (over, under) = picture.most, picture.units
    for part in picture.parts:
        part.points = min(8, points * max(most[0] // part.across, most[1] // part.down))
        part.stride = over * part.across
        width = part.stride * part.points
        part.rows = [bytearray(width) for _ in range(under * part.down * part.points)]


def _scan(picture: Picture, data: bytes, at: int) -> None:
    """Decode every block into the rows of its part."""
    if chosen(picture) != picture.parts:
        raise Refused("a JPEG in several scans")
    over, under = picture.units
    for piece, units in jpeg_scans.pieces(data, at, over * under, picture.restart):
        bits = Bits(piece)
        for part in picture.parts:
            part.before = 0
        for unit in units:
            for part in picture.parts:
                _unit(picture, part, bits, unit % over, unit // over)


def _unit(picture: Picture, part: Part, bits: Bits, column: int, row: int) -> None:
    for down in range(part.down):
        for across in range(part.across):
            block = _block(picture, part, bits)
            part.put(block, column * part.across + across, row * part.down + down)


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
        place = ZIGZAG[at]
        if place % 8 < points and place // 8 < points:
            found[place] = value * quantities[at]
        at += 1
    return pixels(found, points)


def _lines(picture: Picture, width: int, height: int, points: int) -> Iterator[Line]:
    most = picture.most
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
