"""Reading the whole history again: is every record what was written, where it was written?"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.audit import blobs, cases, chain, tree
from engine.audit.checkpoints import Checkpoint
from engine.audit.contents import Contents
from engine.audit.diagnosis import diagnose, first_break
from engine.audit.merkle import Frontier
from engine.audit.witnessing import Finding, Row, Witnessing
from engine.models import Verification

Progress = Callable[[int, int], None]
STEP = 8192
_TELLS = '"case_sha256":"'


@dataclass(frozen=True, slots=True)
class Start:
    """Where reading begins: the tree over all records before, and the hash of the last of them."""

    head: bytes = chain.GENESIS
    tree: Frontier = field(default_factory=Frontier)


def verify(
    connection: sqlite3.Connection,
    notes: Sequence[Checkpoint | None],
    key: Ed25519PublicKey,
    progress: Progress | None = None,
    *,
    resume: bool = False,
) -> Verification:
    """Return whether the chain and what lies beside it are intact, or the first record that is not.

    With `resume` what the last good checkpoint covers is taken as read.
    """
    total = chain.head(connection)[0]
    start = _last_checkpoint(connection, notes, key, total) if resume else Start()
    first = start.tree.size + 1 if start.tree.size else -(1 << 63)
    witnessing, contents = Witnessing(notes, key, start.tree), Contents(connection)
    for seq, problem in itertools.chain(
        _walk(connection, total, start.head, contents, witnessing, progress),
        witnessing.before(total),
        bad_cases(connection, contents, first),
    ):
        return Verification(
            events=total, intact=False, checkpoints=witnessing.agreed, seq=seq or None, problem=problem
        )
    return Verification(events=total, intact=True, checkpoints=witnessing.agreed)


def _last_checkpoint(
    connection: sqlite3.Connection, notes: Sequence[Checkpoint | None], key: Ed25519PublicKey, total: int
) -> Start:
    """Return the start after the last checkpoint; from the beginning where it is not what is on disk."""
    covering = [note for note in notes if note and note.size <= total and note.is_signed_by(key)]
    if not covering:
        return Start()
    note = max(covering, key=lambda note: note.size)
    loaded = tree.load(connection, note.size)
    return Start(note.head, loaded) if loaded.root() == note.root else Start()


def _walk(
    connection: sqlite3.Connection,
    total: int,
    previous: bytes,
    contents: Contents,
    witnessing: Witnessing,
    progress: Progress | None,
) -> Iterator[Finding]:
    """Follow the chain after the hash `previous`, up to record `total`, and yield what is wrong."""
    expected = witnessing.size + 1
    for step in _steps(connection, witnessing.size, total):
        broken = first_break(step, expected, previous)
        if broken:
            yield broken.expected, diagnose(connection, broken)
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
    for step in _steps(connection, 0, chain.head(connection)[0]):
        if first_break(step, expected, previous):
            break
        frontier.extend([row[7] for row in step])
        previous, expected = step[-1][7], step[-1][0] + 1
    return expected - 1


def _steps(connection: sqlite3.Connection, after: int, total: int) -> Iterator[list[Row]]:
    """Yield the records in steps, so that no long read keeps the write-ahead log from being emptied."""
    last = after or -(1 << 63)
    while rows := connection.execute(
        f"SELECT {chain.COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {STEP}",
        (last, total),
    ).fetchall():
        yield rows
        last = rows[-1][0]


def bad_cases(connection: sqlite3.Connection, contents: Contents, first: int) -> Iterator[Finding]:
    """Yield each case, told of from record `first` on, that is not as the last event about it says."""
    listed = ", ".join(cases.COLUMNS)
    rows = connection.execute(
        f"SELECT seq, body, {listed} FROM cases LEFT JOIN states USING (n) WHERE seq >= ? ORDER BY n",
        (first,),
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
        if kind == "output" and (problem := contents.problem(json.loads(data)["digest"])):
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
