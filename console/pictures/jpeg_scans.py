"""Progressive JPEG: each scan adds coefficients, or one more bit of known ones.

Source: ITU-T T.81, annex G.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from console.pictures.jpeg_bits import Bits, Table, pixels
from console.pictures.jpeg_segments import ZIGZAG, Component, JpegImage, chosen, read
from console.pictures.shrink import UnsupportedPicture

Block: TypeAlias = "array[int]"
"""The 64 coefficients of a block, in the order in which they are stored."""


@dataclass
class Scan:
    """The coefficients of a scan: `first` to `last`, from bit `low` up; `again` adds one more bit."""

    first: int
    last: int
    low: int
    again: bool
    codes: Table = field(default_factory=list)
    """The codes of all but the first coefficient."""
    idle: int = 0
    """How many of the next blocks have no new coefficients."""

    @classmethod
    def read(cls, body: bytes) -> Scan:
        """Parse the last three bytes of a scan header."""
        first, last, bits = body[-3:]
        if not first <= last <= 63 or bits & 15 > 13 or (not first and last):
            raise UnsupportedPicture("a broken JPEG")
        return cls(first, last, bits & 15, bool(bits >> 4))

    def take(self, block: Block, bits: Bits) -> None:
        """Read the coefficients of the next block, except the first."""
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
                    raise UnsupportedPicture("a broken JPEG")
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
                    raise UnsupportedPicture("a broken JPEG")
                block[at] = fresh
            at += 1
        if self.idle:
            self._past(block, bits, at, 64)
            self.idle -= 1

    def _past(self, block: Block, bits: Bits, at: int, zeros: int) -> int:
        """Refine known coefficients while skipping `zeros` zeros; return the end position."""
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


def decode(image: JpegImage, data: bytes, at: int) -> None:
    """Decode all scans, then every block into the rows of its component."""
    known = {component.id: _blocks(component) for component in image.components}
    while at:
        _scan(image, known, data, at)
        at = read(image, data, _end(data, at))
    for component in image.components:
        for index, block in enumerate(known[component.id]):
            component.put(
                _pixels(block, component, image), index % component.stride, index // component.stride
            )


def pieces(data: bytes, at: int, units: int, restart: int) -> Iterator[tuple[bytes, range]]:
    """Yield the data between two restart markers, and the units in it."""
    each = restart or units
    for number, piece in enumerate(re.split(rb"\xff[\xd0-\xd7]", data[at : _end(data, at)])):
        yield piece.replace(b"\xff\x00", b"\xff"), range(number * each, min((number + 1) * each, units))


def _end(data: bytes, at: int) -> int:
    found = re.compile(rb"\xff[^\x00\xd0-\xd7]").search(data, at)
    return found.start() if found else len(data)


def _blocks(component: Component) -> list[Block]:
    count = component.stride * (len(component.rows) // component.points)
    return [array("h", bytes(128)) for _ in range(count)]


def _scan(image: JpegImage, known: dict[int, list[Block]], data: bytes, at: int) -> None:
    components, scan = chosen(image), Scan.read(image.scan)
    if not components or (scan.first and len(components) > 1):
        raise UnsupportedPicture("a broken JPEG")
    if scan.first:
        scan.codes = image.codes[components[0].tables[1]]
    units, places = _places(image, components)
    for piece, numbers in pieces(data, at, units, image.restart):
        bits, scan.idle = Bits(piece), 0
        for component in components:
            component.before = 0
        for number in numbers:
            for component, index in places(number):
                block = known[component.id][index]
                if scan.first:
                    scan.take(block, bits)
                else:
                    _first(image, component, scan, block, bits)


def _first(image: JpegImage, component: Component, scan: Scan, block: Block, bits: Bits) -> None:
    """Read the first coefficient of a block, or one more bit of it."""
    if scan.again:
        block[0] |= bits.plain(1) << scan.low
    else:
        component.before += bits.number(bits.code(image.codes[component.tables[0]]))
        block[0] = component.before << scan.low


def _places(
    image: JpegImage, components: list[Component]
) -> tuple[int, Callable[[int], Iterable[tuple[Component, int]]]]:
    """Return how many units a scan has and the blocks in each; a single component has units of its own."""
    (most_across, most_down), (over, under) = image.most, image.units
    if len(components) == 1:
        (component,) = components
        across = -(-image.width * component.across // (8 * most_across))
        down = -(-image.height * component.down // (8 * most_down))
        return across * down, lambda unit: [(component, unit // across * component.stride + unit % across)]
    return over * under, lambda unit: [
        (each, (unit // over * each.down + down) * each.stride + unit % over * each.across + across)
        for each in components
        for down in range(each.down)
        for across in range(each.across)
    ]


def _pixels(block: Block, component: Component, image: JpegImage) -> list[bytes]:
    quantities, points = image.quantities[component.quantities], component.points
    found = {0: block[0] * quantities[0]}
    for at in range(1, 64):
        if block[at]:
            place = ZIGZAG[at]
            if place % 8 < points and place // 8 < points:
                found[place] = block[at] * quantities[at]
    return pixels(found, points)
