"""Progressive JPEG: each scan brings some coefficients of all blocks, or one more bit of what is known.

Source: ITU-T T.81, annex G.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from console.pictures.jpeg_bits import Bits, Table, pixels
from console.pictures.jpeg_segments import ZIGZAG, Part, Picture, chosen, read
from console.pictures.shrink import Refused

Block: TypeAlias = "array[int]"
"""The 64 coefficients of a block, in the order in which they are stored."""


@dataclass
class Scan:
    """Which coefficients a scan brings: `first` to `last`, from bit `low` up; `again`: one more bit."""

    first: int
    last: int
    low: int
    again: bool
    codes: Table = field(default_factory=list)
    """The codes of what is not the first coefficient."""
    idle: int = 0
    """How many blocks from here on bring nothing new."""

    @classmethod
    def read(cls, body: bytes) -> Scan:
        """Return what the last three bytes of a scan's header say."""
        first, last, bits = body[-3:]
        if not first <= last <= 63 or bits & 15 > 13 or (not first and last):
            raise Refused("a broken JPEG")
        return cls(first, last, bits & 15, bool(bits >> 4))

    def take(self, block: Block, bits: Bits) -> None:
        """Take in what the scan says of the next block, but for its first coefficient."""
        if self.again:
            self._refine(block, bits)
        elif self.idle:
            self.idle -= 1
        else:
            self._fill(block, bits)

    def _fill(self, block: Block, bits: Bits) -> None:
        at = self.first
        while at <= self.last:
            skipped, size = divmod(bits.code(self.codes), 16)
            if size:
                at += skipped
                if at > self.last:
                    raise Refused("a broken JPEG")
                block[at] = bits.number(size) << self.low
            elif skipped < 15:
                self.idle = (1 << skipped) + bits.plain(skipped) - 1
                return
            else:
                at += 15
            at += 1

    def _refine(self, block: Block, bits: Bits) -> None:
        at, one = self.first, 1 << self.low
        while at <= self.last and not self.idle:
            skipped, size = divmod(bits.code(self.codes), 16)
            fresh = 0
            if size:
                fresh = one if bits.plain(1) else -one
            elif skipped < 15:
                self.idle = (1 << skipped) + bits.plain(skipped)
                break
            at = self._past(block, bits, at, skipped)
            if fresh:
                if at > self.last:
                    raise Refused("a broken JPEG")
                block[at] = fresh
            at += 1
        if self.idle:
            self._past(block, bits, at, 64)
            self.idle -= 1

    def _past(self, block: Block, bits: Bits, at: int, zeros: int) -> int:
        """Refine what is known on the way past so many zeros; return where that ends."""
        one = 1 << self.low
        while at <= self.last:
            known = block[at]
            if known:
                if bits.plain(1) and not abs(known) & one:
                    block[at] = known + (one if known > 0 else -one)
            elif not zeros:
                break
            else:
                zeros -= 1
            at += 1
        return at


def decode(picture: Picture, data: bytes, at: int) -> None:
    """Decode all scans, then every block into the rows of its part."""
    known = {part.id: _blocks(part) for part in picture.parts}
    while at:
        _scan(picture, known, data, at)
        at = read(picture, data, _end(data, at))
    for part in picture.parts:
        for index, block in enumerate(known[part.id]):
            part.put(_pixels(block, part, picture), index % part.stride, index // part.stride)


def pieces(data: bytes, at: int, units: int, restart: int) -> Iterator[tuple[bytes, range]]:
    """Yield what lies between two restarts of a scan's data, and of which units it is."""
    each = restart or units
    for number, piece in enumerate(re.split(rb"\xff[\xd0-\xd7]", data[at : _end(data, at)])):
        yield piece.replace(b"\xff\x00", b"\xff"), range(number * each, min((number + 1) * each, units))


def _end(data: bytes, at: int) -> int:
    found = re.compile(rb"\xff[^\x00\xd0-\xd7]").search(data, at)
    return found.start() if found else len(data)


def _blocks(part: Part) -> list[Block]:
    count = part.stride * (len(part.rows) // part.points)
    return [array("h", bytes(128)) for _ in range(count)]


def _scan(picture: Picture, known: dict[int, list[Block]], data: bytes, at: int) -> None:
    parts, scan = chosen(picture), Scan.read(picture.scan)
    if not parts or (scan.first and len(parts) > 1):
        raise Refused("a broken JPEG")
    if scan.first:
        scan.codes = picture.codes[parts[0].tables[1]]
    units, places = _places(picture, parts)
    for piece, numbers in pieces(data, at, units, picture.restart):
        bits, scan.idle = Bits(piece), 0
        for part in parts:
            part.before = 0
        for number in numbers:
            for part, index in places(number):
                block = known[part.id][index]
                if scan.first:
                    scan.take(block, bits)
                else:
                    _first(picture, part, scan, block, bits)


def _first(picture: Picture, part: Part, scan: Scan, block: Block, bits: Bits) -> None:
    """Take in the first coefficient of a block, or one more bit of it."""
    if scan.again:
        block[0] |= bits.plain(1) << scan.low
    else:
        part.before += bits.number(bits.code(picture.codes[part.tables[0]]))
        block[0] = part.before << scan.low


def _places(picture: Picture, parts: list[Part]) -> tuple[int, Callable[[int], Iterable[tuple[Part, int]]]]:
    """Return how many units a scan has, and which blocks are in each: those of one part stand alone."""
    (most_across, most_down), (over, under) = picture.most, picture.units
    if len(parts) == 1:
        (part,) = parts
        across = -(-picture.width * part.across // (8 * most_across))
        down = -(-picture.height * part.down // (8 * most_down))
        return across * down, lambda unit: [(part, unit // across * part.stride + unit % across)]
    return over * under, lambda unit: [
        (part, (unit // over * part.down + down) * part.stride + unit % over * part.across + across)
        for part in parts for down in range(part.down) for across in range(part.across)
    ]  # fmt: skip


def _pixels(block: Block, part: Part, picture: Picture) -> list[bytes]:
    quantities, points = picture.quantities[part.quantities], part.points
    found = {0: block[0] * quantities[0]}
    for at in range(1, 64):
        if block[at]:
            place = ZIGZAG[at]
            if place % 8 < points and place // 8 < points:
                found[place] = block[at] * quantities[at]
    return pixels(found, points)
