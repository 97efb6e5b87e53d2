"""Reading the whole history again: is every record what was written, where it was written?"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from engine.audit import blobs, cases, chain
from engine.audit.chain import Record
from engine.models import Verification

Progress = Callable[[int, int], None]
STEP = 10_000
REACH = 64
"""How far from its place a record is looked for, to tell a move from a change."""


def verify(connection: sqlite3.Connection, progress: Progress | None = None) -> Verification:
    """Return whether the chain and the cases beside it are intact, or the first record that is not."""
    total = chain.head(connection)[0]
    for seq, problem in itertools.chain(_walk(connection, total, progress), bad_cases(connection)):
        return Verification(events=total, intact=False, seq=seq, problem=problem)
    return Verification(events=total, intact=True)


def _walk(connection: sqlite3.Connection, total: int, progress: Progress | None) -> Iterator[tuple[int, str]]:
    """Follow the chain, and yield the number of the first bad record and what is wrong with it."""
    previous, expected = chain.GENESIS, 1
    for row in _rows(connection, total):
        seq, at, type_, subject, actor, data, named, digest = row
        if (
            seq != expected
            or named != previous
            or chain.hash_of(seq, at, type_, subject, actor, data, named) != digest
        ):
            yield expected, _diagnose(connection, Record(*row), expected, previous)
            return
        previous, expected = digest, expected + 1
        if progress and (seq % STEP == 0 or seq == total):
            progress(seq, total)


def _rows(connection: sqlite3.Connection, total: int) -> Iterator[tuple[Any, ...]]:
    """Yield the records in steps, so that no long read keeps the write-ahead log from being emptied."""
    last: int | None = None
    while True:
        where = "" if last is None else "seq > :last AND"
        rows = connection.execute(
            f"SELECT {chain.COLUMNS} FROM events WHERE {where} seq <= :total ORDER BY seq LIMIT {STEP}",  # noqa: S608
            {"last": last, "total": total},
        ).fetchall()
        if not rows:
            return
        yield from rows
        last = rows[-1][0]


def _diagnose(connection: sqlite3.Connection, record: Record, expected: int, previous: bytes) -> str:
    """Say what happened where record `expected` should be, after the one with the hash `previous`."""
    if record.seq < expected:
        return f"record {record.seq} was inserted"
    if record.seq > expected:
        return f"record {expected} was removed"
    place = _true_place(record)
    elsewhere = {_true_place(other) for other in _window(connection, expected)[1:]}
    if place == expected:
        return f"record {expected - 1} was replaced: record {expected} was written after another"
    if place is None:
        return f"record {expected} was {'inserted' if expected in elsewhere else 'changed'}"
    if expected in elsewhere:
        return f"record {expected} was reordered: record {place} stands in its place"
    return f"record {expected} was removed"


def bad_cases(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Yield each case that is not as the last event about it says, with the number of that event."""
    rows = connection.execute(f"SELECT seq, body, {', '.join(cases.COLUMNS)} FROM cases ORDER BY n")  # noqa: S608
    for seq, packed, *columns in rows:
        told = _latest_state(connection, columns[0])
        body = blobs.unpack(packed)
        if told is None:
            yield seq, f"the case {columns[0]} was inserted: no record tells of it"
        elif told[1] != cases.state_digest(tuple(columns), body):
            yield told[0], f"the case {columns[0]} was changed: it is not what record {told[0]} says"
    yield from _missing_cases(connection)


def _latest_state(connection: sqlite3.Connection, subject: str) -> tuple[int, str] | None:
    row: tuple[int, str] | None = connection.execute(
        "SELECT seq, data ->> '$.case_sha256' AS state FROM events "
        "WHERE subject = ? AND state IS NOT NULL ORDER BY seq DESC LIMIT 1",
        (subject,),
    ).fetchone()
    return row


def _missing_cases(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    rows = connection.execute(
        "SELECT seq, subject FROM events WHERE type = 'submitted' AND data ->> '$.case_sha256' IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM cases WHERE id = subject) ORDER BY seq LIMIT 1"
    )
    for seq, subject in rows:
        yield seq, f"the case {subject} was removed"


def _window(connection: sqlite3.Connection, first: int) -> list[Record]:
    rows = connection.execute(
        f"SELECT {chain.COLUMNS} FROM events WHERE seq >= ? ORDER BY seq LIMIT ?",  # noqa: S608  own names
        (first, REACH),
    )
    return [Record(*row) for row in rows]


def _true_place(record: Record) -> int | None:
    """Return the number that a record was written under; None where its hash fits none near its place."""
    return next((place for place in _places(record.seq) if _hash_at(record, place) == record.hash), None)


def _hash_at(record: Record, place: int) -> bytes:
    return chain.hash_of(
        place, record.at, record.type, record.subject, record.actor, record.data, record.previous
    )


def _places(seq: int) -> Iterator[int]:
    yield seq
    for distance in range(1, REACH):
        yield seq + distance
        yield seq - distance
