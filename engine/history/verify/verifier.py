"""Verification of the whole history: is every record what was written, where it was written?"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.history.api import ProgressCallback
from engine.history.chain.checkpoints import Checkpoint
from engine.history.chain.merkle import Frontier
from engine.history.verify.checkpoint_check import CheckpointComparison, LaterNotes, Witnessed
from engine.history.verify.pool import RecordRange, verify_ranges
from engine.history.verify.signed_end import end_problems, reservations, unrecorded, valid_head, with_earlier
from engine.history.verify.source import HistorySource
from engine.history.verify.stored_data import STATE_MARK, Mismatch
from engine.models import Verification

SPAN = 1 << 16
"""Records in one range."""


def verify(
    source: HistorySource,
    notes: Sequence[Checkpoint | None],
    key: Ed25519PublicKey,
    progress: ProgressCallback | None = None,
    *,
    resume: bool = False,
    outside: Sequence[Witnessed] = (),
    later: LaterNotes = tuple,
) -> Verification:
    """Return whether the records and the contents that they name are intact, or the first that is not.

    With `resume`, records before the last valid checkpoint are not read again. `outside` is what witnesses
    have kept. `later` returns the notes that the file has a moment after the records were read, where a
    history is verified that is written meanwhile.
    """
    end = source.end()
    total, head = end.size, valid_head(end, key)
    start = _last_checkpoint(source, notes, key, total) if resume else Frontier()
    first = start.size + 1 if start.size else -(1 << 63)
    notices = source.notices()
    comparison = CheckpointComparison(notes, key, start, unrecorded(outside, notices), head, later)
    problems = itertools.chain(
        _verify_records(source, total, comparison, progress),
        end_problems(end, head, notices),
        comparison.before(total),
        _unrecorded_cases(source, first),
        () if start.size else ((0, problem) for problem in source.derived_problems()),
    )
    seq, problem = next(problems, (None, ""))
    found = comparison.found(total, seq or None, with_earlier(problem, notices))
    return found.with_end(
        _moment(end.at), head.key if head else "", tuple(reservations(notices, comparison.unregistered))
    )


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        return None


def _last_checkpoint(
    source: HistorySource, notes: Sequence[Checkpoint | None], key: Ed25519PublicKey, total: int
) -> Frontier:
    """Return the tree of the last checkpoint; an empty one where that is not what is on disk."""
    covering = [note for note in notes if note and note.size <= total and note.is_signed_by(key)]
    if not covering:
        return Frontier()
    note = max(covering, key=lambda note: note.size)
    loaded = source.tree(note.size)
    return loaded if loaded.root() == note.root else Frontier()


def _verify_records(
    source: HistorySource,
    total: int,
    comparison: CheckpointComparison,
    progress: ProgressCallback | None,
) -> Iterator[Mismatch]:
    """Follow the chain up to the record `total`, and yield what is wrong."""
    ranges = _ranges(comparison, total)
    with contextlib.closing(verify_ranges(source, ranges)) as verified:
        for one_range in verified:
            yield from comparison.agree(one_range)
            if one_range.mismatch:
                yield one_range.mismatch
                return
            if progress:
                progress(one_range.last, total)


def _ranges(comparison: CheckpointComparison, total: int) -> list[RecordRange]:
    """Divide the records into ranges whose ends are the same in every verification."""
    ranges, first = [], comparison.size + 1
    while first <= total:
        last = min(total, (first - 1) // SPAN * SPAN + SPAN)
        ranges.append(RecordRange(first, last, frozenset(comparison.points(first, last))))
        first = last + 1
    return ranges


def _unrecorded_cases(source: HistorySource, first: int) -> Iterator[Mismatch]:
    """Yield each case whose last record, from `first` on, does not name it."""
    for id, seq in source.unrecorded_cases(first, STATE_MARK):
        last = source.last_state(id)
        if last is None:
            yield seq, f"the case {id} was inserted: no record names it"
        else:
            yield last, f"the case {id} was changed: it is not what record {last} says"
