"""The first picture of a GIF, over white.

Source: GIF89a specification (https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from console.pictures.shrink import Line, Thumbnail, UnsupportedPicture, bounded, scale, shrunk

SIGN = b"GIF8"
_PASSES = ((0, 8), (4, 8), (2, 4), (1, 2))
"""The first line and the line distance of each pass of an interlaced picture."""


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return a picture of at most `columns` by `rows` pixels."""
    _, width, height, packed, _, _ = struct.unpack(">6sHHBBB", _swapped(data[:13]))
    bounded(width, height)
    at = 13 + _table_bytes(packed)
    at, clear = _to_picture(data, at)
    left, top, across, down, own = struct.unpack("<HHHHB", data[at : at + 9])
    bounded(across, down)
    if left + across > width or top + down > height:
        raise UnsupportedPicture("a GIF that is larger than it says")
    colours = data[at + 9 : at + 9 + _table_bytes(own)] if own & 128 else data[13 : 13 + _table_bytes(packed)]
    at += 9 + (_table_bytes(own) if own & 128 else 0)
    indices = _unpacked(data[at], b"".join(_blocks(data, at + 1)), across * down)
    places = _places(down, interlaced=bool(own & 64))
    lines = _lines(indices, colours, clear, (width, height), (left, top, across, places))
    each = scale(width, height, columns, rows)
    return shrunk(lines, width, height, max(1, int(width / each)), max(1, int(height / each)))


def _swapped(head: bytes) -> bytes:
    """Return the header with its two numbers in big-endian order."""
    return head[:6] + head[7:5:-1] + head[9:7:-1] + head[10:]


def _table_bytes(packed: int) -> int:
    return 3 << (packed & 7) + 1 if packed & 128 else 0


def _blocks(data: bytes, at: int) -> Iterator[bytes]:
    while data[at]:
        yield data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]


def _to_picture(data: bytes, at: int) -> tuple[int, int]:
    """Return the offset of the first picture, and its transparent colour or -1."""
    clear = -1
    while data[at] == 0x21:
        if data[at + 1] == 0xF9 and data[at + 3] & 1:
            clear = data[at + 6]
        at += 2
        while data[at]:
            at += 1 + data[at]
        at += 1
    if data[at] != 0x2C:
        raise UnsupportedPicture("a GIF without a picture")
    return at + 1, clear


def _unpacked(first_bits: int, packed: bytes, most: int) -> bytes:
    """Return the colour indices of at most `most` pixels, LZW-decoded."""
    if not 2 <= first_bits <= 8:
        raise UnsupportedPicture("an unknown kind of GIF")
    clear, end = 1 << first_bits, (1 << first_bits) + 1
    start = [bytes([each]) for each in range(clear)] + [b"", b""]
    known, bits, before, held, have = list(start), first_bits + 1, b"", 0, 0
    result = bytearray()
    for byte in packed:
        held |= byte << have
        have += 8
        while have >= bits:
            code, held, have = held & (1 << bits) - 1, held >> bits, have - bits
            if code == clear:
                known, bits, before = list(start), first_bits + 1, b""
                continue
            if code == end or len(result) >= most:
                return bytes(result[:most])
            if code > len(known) or (code == len(known) and not before):
                raise UnsupportedPicture("a broken GIF")
            entry = known[code] if code < len(known) else before + before[:1]
            result += entry
            if before and len(known) < 4096:
                known.append(before + entry[:1])
                bits = min(12, max(bits, len(known).bit_length()))
            before = entry
    return bytes(result[:most])


def _places(down: int, *, interlaced: bool) -> list[int]:
    """Return the line numbers of the data in the order of the picture."""
    if not interlaced:
        return list(range(down))
    order = [line for first, step in _PASSES for line in range(first, down, step)]
    places = [0] * down
    for at, line in enumerate(order):
        places[line] = at
    return places


def _lines(
    indices: bytes,
    colours: bytes,
    clear: int,
    size: tuple[int, int],
    inner: tuple[int, int, int, list[int]],
) -> Iterator[Line]:
    (width, height), (left, top, across, places) = size, inner
    tables = [bytearray(colours[channel::3].ljust(256, b"\xff")) for channel in range(3)]
    if clear >= 0:
        for table in tables:
            table[clear] = 255
    for number in range(height):
        row = b""
        if 0 <= number - top < len(places):
            at = places[number - top] * across
            row = indices[at : at + across]
        red, green, blue = (
            b"\xff" * left + row.translate(table) + b"\xff" * (width - left - len(row)) for table in tables
        )
        yield red, green, blue
