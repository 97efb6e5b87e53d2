"""What happened where the chain breaks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from engine.history.chain import chain
from engine.history.chain.chain import Record
from engine.history.verify.erased import ErasedRecords
from engine.history.verify.source import HistorySource, Row

REACH = 64
"""How far from its place a record is looked for, to distinguish a move from a change."""


@dataclass(frozen=True, slots=True)
class Break:
    """A record found in place of the record `expected`, after the one with the hash `previous`."""

    expected: int
    previous: bytes
    record: Record


def first_break(step: list[Row], expected: int, previous: bytes, erased: ErasedRecords) -> Break | None:
    """Return the first of these records that does not follow the one before it, or None.

    One whose texts were erased keeps its hash, and is what the record of the erasure says.
    """
    json_of, sha256 = chain.json_of, hashlib.sha256
    for row in step:
        seq, at, type_, subject, actor, data, named, digest = row
        try:
            if seq == expected and named == previous:
                whole = sha256(json_of(seq, at, type_, subject, actor, data, named)).digest() == digest
                if seq not in erased if whole else erased.is_left(row):
                    previous, expected = digest, expected + 1
                    continue
        except TypeError:  # bytes where text was written
            pass
        return Break(expected, previous, Record(*row))
    return None


def diagnose(source: HistorySource, broken: Break) -> str:
    """Say what happened there."""
    record, expected = broken.record, broken.expected
    if record.seq < expected:
        return f"record {record.seq} was inserted"
    if record.seq > expected:
        return f"record {expected} was removed"
    place = _true_place(record)
    elsewhere = {_true_place(other) for other in _window(source, expected)[1:]}
    if place == expected:
        return _unexpected(broken)
    if place is None:
        return f"record {expected} was {'inserted' if expected in elsewhere else 'changed'}"
    if expected in elsewhere:
        return f"record {expected} was reordered: record {place} is in its place"
    return f"record {expected} was {'removed' if place > expected else 'inserted'}"


def _unexpected(broken: Break) -> str:
    """Say what happened where a record is as it was written, at its place."""
    if broken.record.previous == broken.previous:
        return f"record {broken.expected} was put back after it had been erased"
    return f"record {broken.expected - 1} was replaced: record {broken.expected} was written after another"


def _window(source: HistorySource, first: int) -> list[Record]:
    return [Record(*row) for row in source.records(first - 1, (1 << 63) - 1, REACH)]


def _true_place(record: Record) -> int | None:
    """Return the number that a record was written under; None where its hash fits none near its place."""
    return next((place for place in _places(record.seq) if _hash_at(record, place) == record.hash), None)


def _hash_at(record: Record, place: int) -> bytes:
    try:
        return chain.hash_of(
            place, record.at, record.type, record.subject, record.actor, record.data, record.previous
        )
    except (TypeError, AttributeError):  # the stored types differ from the written ones
        return b""


def _places(seq: int) -> Iterator[int]:
    yield seq
    for distance in range(1, REACH):
        yield seq + distance
        yield seq - distance
