"""Reading the whole history again: is every record what was written, where it was written?"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.audit import blobs, cases, chain
from engine.audit.blocks import OutputBlock
from engine.audit.chain import Record
from engine.audit.checkpoints import Checkpoint
from engine.audit.contents import Contents
from engine.audit.merkle import Frontier
from engine.audit.witnessing import Finding, Row, Witnessing
from engine.models import Verification

Progress = Callable[[int, int], None]
STEP = 8192
_TELLS = '"case_sha256":"'
REACH = 64
"""How far from its place a record is looked for, to tell a move from a change."""


def verify(
    connection: sqlite3.Connection,
    notes: Sequence[Checkpoint | None],
    key: Ed25519PublicKey,
    progress: Progress | None = None,
) -> Verification:
    """Return whether the chain and what lies beside it are intact, or the first record that is not."""
    total = chain.head(connection)[0]
    witnessing = Witnessing(notes, key)
    contents = Contents(connection)
    for seq, problem in itertools.chain(
        _walk(connection, total, contents, witnessing, progress),
        witnessing.before(total),
        bad_cases(connection, contents),
    ):
        return Verification(
            events=total, intact=False, checkpoints=witnessing.agreed, seq=seq or None, problem=problem
        )
    return Verification(events=total, intact=True, checkpoints=witnessing.agreed)


def _walk(
    connection: sqlite3.Connection,
    total: int,
    contents: Contents,
    witnessing: Witnessing,
    progress: Progress | None,
) -> Iterator[Finding]:
    """Follow the chain up to record `total`, and yield what is wrong."""
    previous, expected = chain.GENESIS, 1
    for step in _steps(connection, total):
        broken = first_break(step, expected, previous)
        if broken:
            yield broken.expected, _diagnose(connection, broken)
            return
        previous, expected = step[-1][7], step[-1][0] + 1
        yield from witnessing.step(step)
        yield from _missing_cases(connection, step)
        yield from _missing_output(contents, step)
        if progress:
            progress(expected - 1, total)


def walk_only(connection: sqlite3.Connection) -> int:
    """Follow the chain and build the tree, and return how many records there are; look at nothing else."""
    previous, expected, frontier = chain.GENESIS, 1, Frontier()
    for step in _steps(connection, chain.head(connection)[0]):
        if first_break(step, expected, previous):
            break
        frontier.extend([row[7] for row in step])
        previous, expected = step[-1][7], step[-1][0] + 1
    return expected - 1


@dataclass(frozen=True, slots=True)
class Break:
    """A record that stands where the record `expected` should, after the one with the hash `previous`."""

    expected: int
    previous: bytes
    record: Record


def first_break(step: list[Row], expected: int, previous: bytes) -> Break | None:
    """Return where the first of these records stands that does not follow the one before it, or None."""
    hash_of = chain.hash_of
    for seq, at, type_, subject, actor, data, named, digest in step:
        if (
            seq != expected
            or named != previous
            or hash_of(seq, at, type_, subject, actor, data, named) != digest
        ):
            record = Record(seq, at, type_, subject, actor, data, named, digest)
            return Break(expected, previous, record)
        previous, expected = digest, expected + 1
    return None


def _steps(connection: sqlite3.Connection, total: int) -> Iterator[list[Row]]:
    """Yield the records in steps, so that no long read keeps the write-ahead log from being emptied."""
    last: int | None = None
    while True:
        where = "" if last is None else "seq > :last AND"
        rows = connection.execute(
            f"SELECT {chain.COLUMNS} FROM events WHERE {where} seq <= :total ORDER BY seq LIMIT {STEP}",
            {"last": last, "total": total},
        ).fetchall()
        if not rows:
            return
        yield rows
        last = rows[-1][0]


def _diagnose(connection: sqlite3.Connection, broken: Break) -> str:
    """Say what happened there."""
    record, expected = broken.record, broken.expected
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
    return f"record {expected} was {'removed' if place > expected else 'inserted'}"


def bad_cases(connection: sqlite3.Connection, contents: Contents) -> Iterator[Finding]:
    """Yield each case that is not as the last event about it says, with the number of that event."""
    rows = connection.execute(
        f"SELECT seq, body, {', '.join(cases.COLUMNS)} FROM cases LEFT JOIN states USING (n) ORDER BY n"
    )
    for seq, packed, *columns in rows:
        told = _latest_state(connection, columns[0])
        body = blobs.unpack(packed) if packed else b""
        if told is None:
            yield seq, f"the case {columns[0]} was inserted: no record tells of it"
        elif told[1] != cases.state_digest(tuple(columns), body):
            yield told[0], f"the case {columns[0]} was changed: it is not what record {told[0]} says"
        elif problem := next(filter(None, map(contents.problem, cases.contents_of(body))), ""):
            yield told[0], f"the code or a file of the case {columns[0]} was {problem}"


def _missing_output(contents: Contents, step: list[Row]) -> Iterator[Finding]:
    """Yield each of these records whose output is not there as it was."""
    for seq, _, kind, subject, _, data, *_ in step:
        if kind == "output" and (problem := contents.problem(OutputBlock.model_validate_json(data).digest)):
            yield seq, f"the output of {subject} was {problem}"


def _latest_state(connection: sqlite3.Connection, subject: str) -> tuple[int, str] | None:
    row: tuple[int, str] | None = connection.execute(
        "SELECT seq, data ->> '$.case_sha256' AS state FROM events "
        "WHERE subject = ? AND state IS NOT NULL ORDER BY seq DESC LIMIT 1",
        (subject,),
    ).fetchone()
    return row


def _missing_cases(connection: sqlite3.Connection, step: list[Row]) -> Iterator[Finding]:
    """Yield each of these records that tells of a case which is not there."""
    told = {subject: seq for seq, _, _, subject, _, data, *_ in step if _TELLS in data}
    for subject, seq in told.items():
        if not connection.execute("SELECT 1 FROM cases WHERE id = ?", (subject,)).fetchone():
            yield seq, f"the case {subject} was removed"


def _window(connection: sqlite3.Connection, first: int) -> list[Record]:
    rows = connection.execute(
        f"SELECT {chain.COLUMNS} FROM events WHERE seq >= ? ORDER BY seq LIMIT ?",
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
