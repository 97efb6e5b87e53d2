"""The Merkle tree over the records on disk: leaf `seq - 1` is the hash of the record `seq`."""

from __future__ import annotations

from collections.abc import Iterable

from engine.history.chain import merkle
from engine.history.chain.chain import GENESIS
from engine.history.chain.merkle import STORED, Frontier, Subtree
from engine.history.store.sql.connection import SqlConnection

_BLOCK = 1 << STORED
_SIGN = (
    "INSERT INTO signed_head (one, note) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET note = excluded.note"
)


def head(connection: SqlConnection) -> tuple[int, bytes]:
    """Return the number and the hash of the last record on disk."""
    row = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return (row[0], row[1]) if row else (0, GENESIS)


def genesis(connection: SqlConnection) -> bytes:
    """Return what the first record on disk names as the one before it."""
    row = connection.execute("SELECT previous FROM events ORDER BY seq LIMIT 1").fetchone()
    return bytes(row[0]) if row and isinstance(row[0], bytes) else GENESIS


def signed_head(connection: SqlConnection) -> str | None:
    """Return the signed head of the last commit, or None where there is none."""
    rows = connection.dialect.rows("SELECT note FROM signed_head", ())
    return str(rows[0][0]) if rows else None


def sign(connection: SqlConnection, note: str) -> None:
    """Keep the signed head of this commit in the place of the one before."""
    connection.executemany(_SIGN, [(note,)])


def load(connection: SqlConnection, size: int) -> Frontier:
    """Return the right edge of the tree over the first `size` records."""
    edge, start = [], 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            edge.append(root(connection, start, start + (1 << level)))
            start += 1 << level
    return Frontier(size, edge)


def root(connection: SqlConnection, start: int, end: int) -> bytes:
    """Return the root over the leaves from `start` up to, not including, `end`."""
    count = end - start
    if count >= _BLOCK and count & (count - 1) == 0 and start % count == 0:
        stored = _stored(connection, count.bit_length() - 1, start // count)
        if stored:
            return stored
    if count <= _BLOCK:
        return _small(_leaves(connection, start, end))
    middle = start + merkle.split(count)
    return merkle.node(root(connection, start, middle), root(connection, middle, end))


def store(connection: SqlConnection, subtrees: Iterable[Subtree]) -> None:
    """Keep the roots of full subtrees."""
    connection.executemany("INSERT INTO subtrees (level, place, hash) VALUES (?, ?, ?)", subtrees)


def _stored(connection: SqlConnection, level: int, place: int) -> bytes | None:
    row = connection.execute(
        "SELECT hash FROM subtrees WHERE level = ? AND place = ?", (level, place)
    ).fetchone()
    return row[0] if row else None


def _leaves(connection: SqlConnection, start: int, end: int) -> list[bytes]:
    rows = connection.execute("SELECT hash FROM events WHERE seq > ? AND seq <= ? ORDER BY seq", (start, end))
    return [hash_ for (hash_,) in rows]


def _small(leaves: list[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root()
