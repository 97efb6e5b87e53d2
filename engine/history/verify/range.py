"""Verification of a range of records: their chain, their part of the tree, and their payloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.history.chain import chain
from engine.history.chain.merkle import STORED, Frontier, Piece, pieces
from engine.history.verify.diagnosis import diagnose, first_break
from engine.history.verify.source import HistorySource, Row
from engine.history.verify.stored_data import Mismatch, StoredDataChecks, check_stored_data, fields

STEP = 8192
"""Records read at once, so that no long read keeps the write-ahead log from being emptied."""
CHECKPOINT = "history.checkpoint"


@dataclass(slots=True)
class ComparisonPoint:
    """A place in the history to compare with a checkpoint: the tree up to it, since the point before."""

    seq: int
    hash: bytes
    pieces: list[Piece]
    note: str | None = None
    """What the record says, where it is a checkpoint itself."""


@dataclass(slots=True)
class VerifiedRange:
    """The result for one range: `last` is its last intact record."""

    last: int
    points: list[ComparisonPoint] = field(default_factory=list)
    rest: list[Piece] = field(default_factory=list)
    """The tree after the last point."""
    mismatch: Mismatch | None = None
    unregistered: int = 0
    """How many approvals were given before any key was registered."""


def verify_range(
    source: HistorySource, checks: StoredDataChecks, first: int, last: int, points: frozenset[int]
) -> VerifiedRange:
    """Read the records from `first` to `last`, up to the first that is not intact.

    The record before `first` is not checked. `points` are the numbers that checkpoints of this range name.
    """
    verified = VerifiedRange(first - 1)
    previous = _hash_before(source, first)
    for rows in _steps(source, first - 1, last):
        broken = first_break(rows, verified.last + 1, previous, checks.erased)
        if broken:
            verified.mismatch = broken.expected, diagnose(source, broken)
            return verified
        grown = _grow(verified, rows, points)
        if changed := _changed_block(source, rows[0][0] - 1, grown):
            verified.mismatch = changed, "the stored tree over the records was changed"
            return verified
        known = checks.unregistered
        verified.mismatch = check_stored_data(source, checks, rows)
        verified.unregistered += checks.unregistered - known
        previous = rows[-1][7]
        if verified.mismatch:
            return verified
    if verified.last < last:
        verified.mismatch = verified.last + 1, f"record {verified.last + 1} was removed"
    return verified


def _hash_before(source: HistorySource, first: int) -> bytes:
    if first <= 1:
        began = source.end().genesis
        return began if began == chain.UNSIGNED_GENESIS else chain.GENESIS
    return source.hash_of(first - 1) or chain.GENESIS


def _steps(source: HistorySource, after: int, last: int) -> Iterator[list[Row]]:
    """Yield the records in batches; in the first one also those that wrongly precede record 1."""
    place = after or -(1 << 63)
    while rows := source.records(place, last, STEP):
        yield rows
        place = rows[-1][0]


def _changed_block(source: HistorySource, start: int, grown: Sequence[Piece]) -> int | None:
    """Return the last record of the first whole block of these whose stored root is another.

    `grown` are the pieces of the tree that follow the first `start` records.
    """
    first = -(-start // (1 << STORED))
    whole = [root for level, _, root in Frontier().graft(_from_block(first, start, grown)) if level == STORED]
    stored = source.blocks(first, first + len(whole) - 1) if whole else {}
    for place, root in enumerate(whole, first):
        if stored.get(place, root) != root:
            return (place + 1) << STORED
    return None


def _from_block(first: int, start: int, grown: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces from the block `first` on, of those that begin behind `start` records."""
    for level, root in grown:
        if start >= first << STORED:
            yield level, root
        start += 1 << level


def _grow(verified: VerifiedRange, rows: Sequence[Row], points: frozenset[int]) -> list[Piece]:
    """Add records to the tree, note each point to compare with a checkpoint, and return what was added."""
    hashes, done, start = [row[7] for row in rows], 0, rows[0][0] - 1
    added: list[Piece] = []
    for place, row in enumerate(rows):
        if row[2] == CHECKPOINT or row[0] in points:
            grown = pieces(start + done, hashes[done : place + 1], STORED)
            added += grown
            note = str(fields(row[5]).get("note")) if row[2] == CHECKPOINT else None
            verified.points.append(ComparisonPoint(row[0], row[7], verified.rest + grown, note))
            verified.rest, done = [], place + 1
    grown = pieces(start + done, hashes[done:], STORED)
    verified.rest += grown
    verified.last = rows[-1][0]
    return added + grown
