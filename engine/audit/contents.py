"""Whether the code, the files and the output that records refer to are still what they were."""

from __future__ import annotations

import json
import sqlite3
from functools import lru_cache

from engine.audit import blobs
from engine.audit.errors import AuditError

KEPT = 1 << 16
"""So many digests are remembered."""


class Contents:
    """Looks each digest up once, or not much more often. What retention erased is as it should be."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._erased = _erased(connection)
        self.problem = lru_cache(KEPT)(self._problem)
        """Return `changed`, `removed` or `erased without a record`, or nothing where all is well."""

    def _problem(self, digest: str) -> str:
        row = self._connection.execute(
            "SELECT body FROM blobs WHERE digest = ?", (bytes.fromhex(digest),)
        ).fetchone()
        if row is None:
            return "removed"
        if row[0] is None:
            return "" if digest in self._erased else "erased without a record"
        try:
            return "" if blobs.digest_of(blobs.unpack(row[0])) == digest else "changed"
        except AuditError:
            return "changed"


def erased_by(connection: sqlite3.Connection, digest: str) -> str:
    """Return the rule of retention by which a content was erased last, or nothing where none is recorded."""
    row = connection.execute(
        "SELECT data ->> '$.rule' FROM events WHERE type = 'erased' AND instr(data, ?) "
        "ORDER BY seq DESC LIMIT 1",
        (f'"{digest}"',),
    ).fetchone()
    return str(row[0]) if row else ""


def _erased(connection: sqlite3.Connection) -> frozenset[str]:
    rows = connection.execute("SELECT data FROM events WHERE type = 'erased' ORDER BY seq")
    return frozenset(digest for (data,) in rows for digest in json.loads(data)["digests"])
