"""The end of the chain as one of several engines finds it: whether it follows from the end that it knows."""

from __future__ import annotations

from collections.abc import Sequence

from engine.history.chain.heads import missing, not_signed
from engine.history.errors import ContradictedEndError
from engine.history.store.sql.connection import EndRecord, HeldEnd


def appended(held: HeldEnd, size: int, last: bytes) -> Sequence[EndRecord]:
    """Return what was appended to `size` records with the hash `last`, each bound to the one before.

    Raises:
        ContradictedEndError: the end that was known is not there any more, or something else follows it.
    """
    if size and (not held.records or held.records[0].seq != size):
        raise ContradictedEndError(missing(size, size))
    if size and held.records[0].hash != last:
        raise ContradictedEndError(not_signed(size))
    behind = held.records[1:] if size else held.records
    for number, record in enumerate(behind, size + 1):
        if record.seq != number:
            raise ContradictedEndError(missing(number, record.seq - 1))
        if record.previous != last:
            raise ContradictedEndError(f"record {number} does not follow record {number - 1}")
        last = record.hash
    return behind
