"""Reads of the store for its verification."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.history.chain import chain
from engine.history.chain.merkle import STORED, Frontier
from engine.history.store.sql import row_formats, tree
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.derived import derived_problems
from engine.history.store.sql.erasing.records import erased_records
from engine.history.verify.source import HistoryEnd, KeyChange, Row, StoredCase

_RECORDS = f"SELECT {chain.COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
_END = """
SELECT seq, at, note FROM (SELECT 1 AS one) AS single LEFT JOIN signed_head USING (one)
LEFT JOIN (SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1) AS latest ON one = 1
"""
_NOTICES = "SELECT seq, type, data FROM events WHERE subject = 'history' ORDER BY seq"
_USES = """
WITH wanted (id) AS (VALUES {})
SELECT id, 1, lower(hex(blobs.digest)) FROM wanted JOIN cases USING (id)
JOIN case_blobs ON case_n = cases.n LEFT JOIN blobs ON blobs.n = blob
UNION ALL
SELECT id, 0, data ->> 'digest' FROM wanted JOIN events ON subject = id
WHERE type IN ('run.output', 'run.artifact') AND json_valid(data) AND data ->> 'digest' IS NOT NULL
AND NOT EXISTS (
    SELECT 1 FROM blobs JOIN case_blobs ON blob = blobs.n AND case_n = 0
    WHERE lower(hex(blobs.digest)) = data ->> 'digest'
)
"""
_BLOCKS = "SELECT place, hash FROM subtrees WHERE level = ? AND place BETWEEN ? AND ?"
_KEYS = """
SELECT seq, type, data ->> 'name', data ->> 'key' FROM events
WHERE subject = 'reviewers' AND json_valid(data) ORDER BY seq
"""
_CASES = """
SELECT seq, format, body, {} FROM cases LEFT JOIN case_states USING (n)
WHERE id IN ({})
"""
_UNRECORDED_CASES = """
SELECT id, seq FROM cases WHERE seq >= :first AND NOT EXISTS (
    SELECT 1 FROM events WHERE events.seq = cases.seq AND subject = id AND instr(data, :mark) > 0
) ORDER BY n
"""
_LAST_STATE = """
SELECT seq FROM events
WHERE subject = ? AND data ->> 'case_sha256' IS NOT NULL ORDER BY seq DESC LIMIT 1
"""


class SqlSource:
    """A `HistorySource` over a connection."""

    def __init__(self, connection: SqlConnection, path: Path | None = None) -> None:
        self._connection = connection
        self._path = path

    @property
    def path(self) -> Path | None:
        """The file of the database, where it is one."""
        return self._path

    def end(self) -> HistoryEnd:
        """Return the last record and its signature, of one moment."""
        seq, at, note = self._connection.dialect.rows(_END, ())[0]
        genesis = tree.genesis(self._connection)
        return HistoryEnd(seq or 0, str(at or ""), None if note is None else str(note), genesis)

    def notices(self) -> list[tuple[int, str, str]]:
        """Return number, type and data of the records about the history itself."""
        return self._connection.dialect.rows(_NOTICES, ())

    def tree(self, size: int) -> Frontier:
        """Return the tree over the first `size` records, from the stored hashes."""
        return tree.load(self._connection, size)

    def uses(self, ids: Sequence[str]) -> list[tuple[str, bool, str]]:
        """Return the contents of these cases, of one moment: id, whether by the list of uses, digest."""
        if not ids:
            return []
        found = self._connection.execute(_USES.format(", ".join(["(?)"] * len(ids))), ids)
        return [(id, bool(listed), str(digest)) for id, listed, digest in found]

    def blocks(self, first: int, last: int) -> dict[int, bytes]:
        """Return the stored subtrees of `STORED` levels from one place to another, by place."""
        return dict(self._connection.execute(_BLOCKS, (STORED, first, last)).fetchall())

    def derived_problems(self) -> Iterable[str]:
        """Yield what the store derives from the records, and is not as it follows from them."""
        return derived_problems(self._connection)

    def reviewer_keys(self) -> list[KeyChange]:
        """Return the registrations of reviewers' keys, in order."""
        return [
            KeyChange(seq, str(name), str(key) if type == "reviewer.registered" else "")
            for seq, type, name, key in self._connection.dialect.rows(_KEYS, ())
        ]

    def hash_of(self, seq: int) -> bytes | None:
        """Return the stored hash of a record."""
        row = self._connection.execute("SELECT hash FROM events WHERE seq = ?", (seq,)).fetchone()
        return (row[0] or b"") if row else None

    def records(self, after: int, last: int, most: int) -> list[Row]:
        """Return the first `most` records after `after`, up to `last`."""
        return self._connection.dialect.rows(_RECORDS, (after, last, most))

    def cases(self, ids: Sequence[str]) -> list[StoredCase]:
        """Return the stored cases of these ids."""
        names = row_formats.current().columns
        if not ids:
            return []
        query = _CASES.format(", ".join(names), ", ".join("?" * len(ids)))
        found = self._connection.dialect.rows(query, ids)
        return [
            StoredCase(seq, number, dict(zip(names, columns, strict=True)), body)
            for seq, number, body, *columns in found
        ]

    def unrecorded_cases(self, first: int, mark: str) -> Iterable[tuple[str, int]]:
        """Return id and last record of each case, from record `first` on, whose last record lacks `mark`."""
        return self._connection.execute(_UNRECORDED_CASES, {"first": first, "mark": mark})

    def last_state(self, id: str) -> int | None:
        """Return the number of the last record that names a case."""
        row = self._connection.execute(_LAST_STATE, (id,)).fetchone()
        return row[0] if row else None

    def contents(self, digests: Sequence[bytes]) -> Iterable[tuple[bytes, bytes | None]]:
        """Return these contents, packed; None for one that is erased."""
        places = ", ".join("?" * len(digests))
        return self._connection.execute(f"SELECT digest, body FROM blobs WHERE digest IN ({places})", digests)

    def erased(self) -> frozenset[str]:
        """Return the digests of all contents that records say were erased."""
        rows = self._connection.execute("SELECT data FROM events WHERE type = 'history.erased' ORDER BY seq")
        return frozenset(digest for (data,) in rows for digest in json.loads(data)["digests"])

    def erased_records(self) -> dict[int, str]:
        """Return the records whose texts later records say were erased: the SHA-256 of what is left."""
        return erased_records(self._connection)
