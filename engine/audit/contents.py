"""Whether the code, the files and the output that records refer to are still what they were."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

from engine.audit import blobs
from engine.audit.errors import AuditError


class Contents:
    """Looks each digest up once, or not much more often."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.problem = lru_cache(4096)(self._problem)
        """Return `changed` or `removed`, or nothing where the content with a digest is as it was."""

    def _problem(self, digest: str) -> str:
        row = self._connection.execute(
            "SELECT body FROM blobs WHERE digest = ?", (bytes.fromhex(digest),)
        ).fetchone()
        if row is None:
            return "removed"
        if row[0] is None:
            return ""
        try:
            return "" if blobs.digest_of(blobs.unpack(row[0])) == digest else "changed"
        except AuditError:
            return "changed"
