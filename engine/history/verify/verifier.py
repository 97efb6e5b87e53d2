"""Verification of the whole history: is every record what was written, where it was written?"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.history.api import ProgressCallback
from engine.history.chain.checkpoints import Checkpoint
from engine.history.chain.merkle import Frontier
from engine.history.store.sqlite import tree
from engine.history.verify.checkpoint_check import CheckpointComparison
from engine.history.verify.payloads import TELLS, Mismatch
from engine.history.verify.pool import RecordRange, verify_ranges
from engine.models import Verification

SPAN = 1 << 16
"""Records in one stretch."""
_STRAY = """
SELECT id, seq FROM cases WHERE seq >= :first AND NOT EXISTS (
    SELECT 1 FROM events WHERE events.seq = cases.seq AND subject = id AND instr(data, :tells)
) ORDER BY n
"""
_TOLD = """
SELECT seq, data ->> '$.case_sha256' AS state FROM events
WHERE subject = ? AND state IS NOT NULL ORDER BY seq DESC LIMIT 1
"""


def verify(
    connection: sqlite3.Connection,
    notes: Sequence[Checkpoint | None],
    key: Ed25519PublicKey,
    progress: ProgressCallback | None = None,
    *,
    resume: bool = False,
    outside: Sequence[Checkpoint | None] = (),
) -> Verification:
    """Return whether the chain and what lies beside it are intact, or the first record that is not.

    With `resume` what the last good checkpoint covers is taken as read. `outside` are the checkpoints that
    a witness has kept; with them all is read.
    """
    total = tree.head(connection)[0]
    goes_on = resume and not outside
    start = _last_checkpoint(connection, notes, key, total) if goes_on else Frontier()
    first = start.size + 1 if start.size else -(1 << 63)
    comparison = CheckpointComparison(notes, key, start, outside)
    for seq, problem in itertools.chain(
        _verify_records(connection, total, comparison, progress),
        comparison.before(total),
        _stray_cases(connection, first),
    ):
        return comparison.found(total, seq or None, problem)
    return comparison.found(total)


def _last_checkpoint(
    connection: sqlite3.Connection, notes: Sequence[Checkpoint | None], key: Ed25519PublicKey, total: int
) -> Frontier:
    """Return the tree of the last checkpoint; an empty one where that is not what is on disk."""
    covering = [note for note in notes if note and note.size <= total and note.is_signed_by(key)]
    if not covering:
        return Frontier()
    note = max(covering, key=lambda note: note.size)
    loaded = tree.load(connection, note.size)
    return loaded if loaded.root() == note.root else Frontier()


def _verify_records(
    connection: sqlite3.Connection,
    total: int,
    comparison: CheckpointComparison,
    progress: ProgressCallback | None,
) -> Iterator[Mismatch]:
    """Follow the chain up to the record `total`, and yield what is wrong."""
    ranges = _ranges(comparison, total)
    with contextlib.closing(verify_ranges(connection, ranges)) as verified:
        for stretch in verified:
            yield from comparison.agree(stretch)
            if stretch.mismatch:
                yield stretch.mismatch
                return
            if progress:
                progress(stretch.last, total)


def _ranges(comparison: CheckpointComparison, total: int) -> list[RecordRange]:
    """Cut what is to be read into stretches that end where those of any other reading do."""
    ranges, first = [], comparison.size + 1
    while first <= total:
        last = min(total, (first - 1) // SPAN * SPAN + SPAN)
        ranges.append(RecordRange(first, last, frozenset(comparison.points(first, last))))
        first = last + 1
    return ranges


def _stray_cases(connection: sqlite3.Connection, first: int) -> Iterator[Mismatch]:
    """Yield each case that names a record, from `first` on, which does not tell of it."""
    rows = connection.execute(_STRAY, {"first": first, "tells": TELLS})
    for id, seq in rows:
        told = connection.execute(_TOLD, (id,)).fetchone()
        if told is None:
            yield seq, f"the case {id} was inserted: no record tells of it"
        else:
            yield told[0], f"the case {id} was changed: it is not what record {told[0]} says"
