"""Decodes PNG pictures of every colour type.

Source: PNG specification, third edition (https://www.w3.org/TR/png-3/).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from console.pictures.shrink import Line, Thumbnail, UnsupportedPicture, bounded, scale, shrunk

SIGN = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel: grey, colour, palette, grey and alpha, colour and alpha."""
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""For each pass of an interlaced picture: first column and line, and the pixel distances."""


@dataclass(frozen=True)
class Samples:
    """The format of the samples of a picture."""

    depth: int
    kind: int
    palette: bytes
    alpha: bytes

    @property
    def bits(self) -> int:
        """The bits of a pixel."""
        return self.depth * _CHANNELS[self.kind]

    def line_bytes(self, width: int) -> int:
        """Return the bytes of a line."""
        return (width * self.bits + 7) // 8


def thumbnail(data: bytes, columns: int, rows: int) -> Thumbnail:
    """Return a picture of at most `columns` by `rows` pixels."""
    header, palette, alpha, packed = _chunks(data)
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if kind not in _CHANNELS or depth not in {1, 2, 4, 8, 16}:
        raise UnsupportedPicture("an unknown kind of PNG")
    bounded(width, height)
    each = scale(width, height, columns, rows)
    samples = Samples(depth, kind, palette, alpha)
    lines = (_interlaced if interlaced else _plain)(packed, width, height, samples)
    return shrunk(lines, width, height, max(1, int(width / each)), max(1, int(height / each)))


def _chunks(png: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Return header, palette, the palette's transparency and the packed data."""
    found: dict[bytes, bytes] = {b"IHDR": b"", b"PLTE": b"", b"tRNS": b"", b"IDAT": b""}
    at = 8
    parts = []
    while at + 8 <= len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        if name == b"IDAT":
            parts.append(body)
        elif name in found:
            found[name] = body
        at += 12 + length
    return found[b"IHDR"], found[b"PLTE"], found[b"tRNS"], b"".join(parts)


def _plain(packed: bytes, width: int, height: int, samples: Samples) -> Iterator[Line]:
    """Yield the lines of a picture."""
    data = _unpacked(packed, (samples.line_bytes(width) + 1) * height)
    for line in _lines(data, 0, width, height, samples):
        yield _colours(line, width, samples)


def _interlaced(packed: bytes, width: int, height: int, samples: Samples) -> Iterator[Line]:
    """Yield the lines of an interlaced picture after decoding all seven passes."""
    passes = [(-(-(width - left) // over), -(-(height - top) // down)) for left, top, over, down in _PASSES]
    data = _unpacked(
        packed, sum((samples.line_bytes(wide) + 1) * high for wide, high in passes if wide > 0 < high)
    )
    rows = [(bytearray(width), bytearray(width), bytearray(width)) for _ in range(height)]
    at = 0
    for (left, top, over, down), (wide, high) in zip(_PASSES, passes, strict=True):
        if wide <= 0 or high <= 0:
            continue
        for number, line in enumerate(_lines(data, at, wide, high, samples)):
            for row, colour in zip(rows[top + number * down], _colours(line, wide, samples), strict=True):
                row[left::over] = colour
        at += (samples.line_bytes(wide) + 1) * high
    yield from ((bytes(red), bytes(green), bytes(blue)) for red, green, blue in rows)


def _unpacked(packed: bytes, size: int) -> bytes:
    data = zlib.decompressobj().decompress(packed, size)
    if len(data) < size:
        raise UnsupportedPicture("a PNG that ends too early")
    return data


def _lines(data: bytes, at: int, width: int, height: int, samples: Samples) -> Iterator[bytearray]:
    """Yield the unfiltered lines of samples from `at` on."""
    size, step = samples.line_bytes(width), max(1, samples.bits // 8)
    before = bytearray(size)
    for number in range(height):
        start = at + number * (size + 1)
        before = _undone(data[start], bytearray(data[start + 1 : start + 1 + size]), before, step)
        yield before


def _undone(kind: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    if kind == 1:
        for at in range(step, len(line)):
            line[at] = (line[at] + line[at - step]) & 255
    elif kind == 2:
        line = bytearray((one + two) & 255 for one, two in zip(line, above, strict=True))
    elif kind == 3:
        for at in range(len(line)):
            left = line[at - step] if at >= step else 0
            line[at] = (line[at] + (left + above[at]) // 2) & 255
    elif kind == 4:
        for at in range(len(line)):
            left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
            line[at] = (line[at] + _paeth(left, above[at], corner)) & 255
    elif kind:
        raise UnsupportedPicture("an unknown filter")
    return line


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    by_left, by_above, by_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
    if by_left <= by_above and by_left <= by_corner:
        return left
    return above if by_above <= by_corner else corner


def _colours(line: bytearray, width: int, how: Samples) -> Line:
    """Return red, green and blue of a line, over white where the picture is transparent."""
    depth, kind = how.depth, how.kind
    samples = _samples(line, width * _CHANNELS[kind], depth)
    if kind == 3:
        known = [how.palette[at : at + 3] for at in range(0, len(how.palette), 3)]
        seen = [known[each] for each in samples]
        veil = bytes(how.alpha[each] if each < len(how.alpha) else 255 for each in samples)
        channels = [bytes(each[at] for each in seen) for at in range(3)]
        return _over_white(channels, veil)
    if depth < 8:
        samples = bytes(each * 255 // ((1 << depth) - 1) for each in samples)
    count = _CHANNELS[kind]
    channels = [samples[at::count] for at in range(count)]
    veil = channels.pop() if kind in {4, 6} else b""
    return _over_white(channels * 3 if len(channels) == 1 else channels, veil)


def _samples(line: bytearray, count: int, depth: int) -> bytes:
    if depth == 8:
        return bytes(line)
    if depth == 16:
        return bytes(line[::2])
    each, mask = 8 // depth, (1 << depth) - 1
    return bytes((line[at // each] >> (8 - depth * (at % each + 1))) & mask for at in range(count))


def _over_white(channels: list[bytes], veil: bytes) -> Line:
    if veil and min(veil) < 255:
        channels = [
            bytes(255 + (colour - 255) * thick // 255 for colour, thick in zip(channel, veil, strict=True))
            for channel in channels
        ]
    return channels[0], channels[1], channels[2]
