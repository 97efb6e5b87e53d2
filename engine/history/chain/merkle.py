"""The Merkle tree of RFC 6962: one hash over all records, and short proofs that a record is among them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

EMPTY = hashlib.sha256(b"").digest()
"""The root of the tree without leaves."""
STORED = 10
"""Subtrees of 2**STORED leaves and more are kept, so that proofs and restarts need not read everything."""

Subtree = tuple[int, int, bytes]
"""Level, position among those of its level, hash."""
Piece = tuple[int, bytes]
"""Level and hash of a subtree."""


def leaf(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass
class Frontier:
    """The right edge of a growing tree: the roots of its full subtrees, the largest first."""

    size: int = 0
    edge: list[bytes] = field(default_factory=list)

    def add(self, data: bytes) -> list[Subtree]:
        """Add a leaf, and return the subtrees of `STORED` levels and more that it completes."""
        return self._add(leaf(data), 0)

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Add leaves, whole subtrees of them at once."""
        self.graft(pieces(self.size, leaves))

    def graft(self, grown: Iterable[Piece]) -> list[Subtree]:
        """Add subtrees that `pieces` cut for a tree of this size; return what `add` returns."""
        return [complete for level, root in grown for complete in self._add(root, level)]

    def _add(self, root: bytes, level: int) -> list[Subtree]:
        rest = self.size >> level
        complete: list[Subtree] = [(level, rest, root)] if level >= STORED else []
        self.size += 1 << level
        while rest & 1:
            root, level, rest = node(self.edge.pop(), root), level + 1, rest >> 1
            if level >= STORED:
                complete.append((level, rest, root))
        self.edge.append(root)
        return complete

    def root(self) -> bytes:
        """Return the root of the tree."""
        return fold(self.edge)


def pieces(size: int, leaves: Sequence[bytes], highest: int = 64) -> list[Piece]:
    """Cut leaves that follow `size` others into the largest subtrees of the tree, up to a level."""
    cut: list[Piece] = []
    place, end = 0, len(leaves)
    while place < end:
        start = size + place
        most = min(highest, (end - place).bit_length() - 1)
        level = min(most, (start & -start).bit_length() - 1) if start else most
        cut.append((level, _block_root(leaves[place : place + (1 << level)])))
        place += 1 << level
    return cut


def _block_root(leaves: Sequence[bytes]) -> bytes:
    sha256 = hashlib.sha256
    hashes = [sha256(b"\x00" + data).digest() for data in leaves]
    while len(hashes) > 1:
        pairs = iter(hashes)
        hashes = [sha256(b"\x01" + left + right).digest() for left, right in zip(pairs, pairs, strict=True)]
    return hashes[0]


def fold(edge: Sequence[bytes]) -> bytes:
    """Return the root of a tree with these full subtrees, the largest first."""
    if not edge:
        return EMPTY
    root = edge[-1]
    for left in reversed(edge[:-1]):
        root = node(left, root)
    return root


def split(size: int) -> int:
    """Return the largest power of two below `size`: how many leaves the left side of a tree has."""
    return 1 << ((size - 1).bit_length() - 1)


Roots = Callable[[int, int], bytes]
"""The root over the leaves from the first number up to, not including, the second."""


def inclusion(index: int, size: int, roots: Roots) -> list[bytes]:
    """Return the proof that the leaf `index` (from 0) is in the tree of `size` leaves, bottom first."""
    return _path(index, 0, size, roots)


def _path(index: int, start: int, end: int, roots: Roots) -> list[bytes]:
    if end - start == 1:
        return []
    middle = start + split(end - start)
    if index < middle:
        return [*_path(index, start, middle, roots), roots(middle, end)]
    return [*_path(index, middle, end, roots), roots(start, middle)]


def root_of(index: int, size: int, data: bytes, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that a proof leads to, None where its length is wrong. Source: RFC 9162, 2.1.3.2."""
    place, last, root = index, size - 1, leaf(data)
    if not 0 <= index < size:
        return None
    for other in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = node(other, root)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            root = node(root, other)
        place, last = place >> 1, last >> 1
    return root if last == 0 else None
