"""Pictures in JPEG, baseline or progressive, decoded at the smallest sufficient size.

Source: ITU-T T.81; JFIF 1.02 for the colours.
"""

from __future__ import annotations

from collections.abc import Iterator

from console.pictures import jpeg_scans
from console.pictures.jpeg_bits import Bits, clamped, pixels
from console.pictures.jpeg_segments import ZIGZAG, Component, JpegImage, chosen, read
from console.pictures.shrink import Line, Thumbnail, UnsupportedPicture, scale, shrunk

SIGN = b"\xff\xd8\xff"


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return a picture of at most `columns` by `rows` pixels."""
    image = JpegImage()
    at = read(image, data, 2)
    if not at or not image.components:
        raise UnsupportedPicture("a broken JPEG")
    width, height = image.width, image.height
    each = scale(width, height, columns, rows)
    points = next(size for size in (1, 2, 4, 8) if size * each >= 8)
    _lay_out(image, points)
    if image.progressive:
        jpeg_scans.decode(image, data, at)
    else:
        _scan(image, data, at)
    wide, high = -(-width * points // 8), -(-height * points // 8)
    across, down = min(wide, max(1, int(width / each))), min(high, max(1, int(height / each)))
    return shrunk(_lines(image, wide, high, points), wide, high, across, down)


def _lay_out(image: JpegImage, points: int) -> None:
    """Allocate the pixels of each component, `points` by `points` per block of the largest."""
    most, (over, under) = image.most, image.units
    for component in image.components:
        component.points = min(8, points * max(most[0] // component.across, most[1] // component.down))
        component.stride = over * component.across
        width = component.stride * component.points
        component.rows = [bytearray(width) for _ in range(under * component.down * component.points)]


def _scan(image: JpegImage, data: bytes, at: int) -> None:
    """Decode every block into the rows of its component."""
    if chosen(image) != image.components:
        raise UnsupportedPicture("a JPEG in several scans")
    over, under = image.units
    for piece, units in jpeg_scans.pieces(data, at, over * under, image.restart):
        bits = Bits(piece)
        for component in image.components:
            component.before = 0
        for unit in units:
            for component in image.components:
                _unit(image, component, bits, unit % over, unit // over)


def _unit(image: JpegImage, component: Component, bits: Bits, column: int, row: int) -> None:
    for down in range(component.down):
        for across in range(component.across):
            block = _block(image, component, bits)
            component.put(block, column * component.across + across, row * component.down + down)


def _block(image: JpegImage, component: Component, bits: Bits) -> list[bytes]:
    """Return the pixels of the next block."""
    points = component.points
    first, others = (image.codes[each] for each in component.tables)
    quantities = image.quantities[component.quantities]
    component.before += bits.number(bits.code(first))
    found = {0: component.before * quantities[0]}
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
            raise UnsupportedPicture("a broken JPEG")
        place = ZIGZAG[at]
        if place % 8 < points and place // 8 < points:
            found[place] = value * quantities[at]
        at += 1
    return pixels(found, points)


def _lines(image: JpegImage, width: int, height: int, points: int) -> Iterator[Line]:
    most = image.most
    places = [
        [at * component.across * component.points // (most[0] * points) for at in range(width)]
        for component in image.components
    ]
    for number in range(height):
        rows = [
            bytes(
                map(
                    component.rows[
                        number * component.down * component.points // (most[1] * points)
                    ].__getitem__,
                    place,
                )
            )
            for component, place in zip(image.components, places, strict=True)
        ]
        if len(rows) == 1:
            yield rows[0], rows[0], rows[0]
        else:
            yield (rows[0], rows[1], rows[2]) if image.plain else _coloured(*rows)


def _coloured(light: bytes, blue: bytes, red: bytes) -> Line:
    """Return red, green and blue for luma and chroma."""
    return (
        bytes(clamped(y + 1.402 * (r - 128)) for y, r in zip(light, red, strict=True)),
        bytes(clamped(y - 0.344136 * (b - 128) - 0.714136 * (r - 128))
              for y, b, r in zip(light, blue, red, strict=True)),
        bytes(clamped(y + 1.772 * (b - 128)) for y, b in zip(light, blue, strict=True)),
    )  # fmt: skip
