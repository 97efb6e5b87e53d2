"""What the writer thread holds: the connection, the end of the chain, and output on its way to the disk."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.audit import blobs, cases, chain
from engine.audit.blocks import OutputBlock
from engine.audit.cases import Frozen
from engine.audit.chain import Record
from engine.models import OutputChunk

ENGINE = "engine"
UNKNOWN = -1
"""The number of the last record where only the disk knows it."""


@dataclass
class Ledger:
    """The one place where records are made. Used by the writer thread alone."""

    connection: sqlite3.Connection
    seq: int = UNKNOWN
    last: bytes = chain.GENESIS
    pending: dict[str, list[OutputChunk]] = field(default_factory=dict)
    pending_bytes: int = 0

    def recall(self) -> None:
        """Take the end of the chain from the disk."""
        self.seq, self.last = chain.head(self.connection)

    def begin(self) -> None:
        """Start a transaction, at a known end of the chain."""
        self.connection.execute("BEGIN IMMEDIATE")
        if self.seq == UNKNOWN:
            self.recall()

    def commit(self) -> None:
        """Put all that was done since `begin`, and the output that is held, on disk."""
        self.settle_all()
        self.connection.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo what was done since `begin`."""
        self.seq = UNKNOWN
        self.pending.clear()
        self.pending_bytes = 0
        with contextlib.suppress(sqlite3.Error):  # SQLite has undone it itself after a full disk
            self.connection.execute("ROLLBACK")

    def append(self, type: str, subject: str, actor: str, data: str, case: Frozen | None = None) -> Record:
        """Chain a record, after the output of its subject that came first, and write the case beside it."""
        self.settle(subject)
        at = chain.stamp(datetime.now(UTC))
        record = chain.link(self.seq + 1, self.last, at, type, subject, actor, data)
        self.connection.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (record.seq, at, type, subject, actor, data, record.previous, record.hash),
        )
        self.seq, self.last = record.seq, record.hash
        if case is not None:
            cases.write(self.connection, case, record.seq, at)
        return record

    def hold(self, run: str, chunks: Sequence[OutputChunk]) -> None:
        """Keep output until the transaction ends."""
        self.pending.setdefault(run, []).extend(chunks)
        self.pending_bytes += sum(len(chunk.data) for chunk in chunks)

    def settle(self, run: str) -> None:
        """Write the output of a run that is held: the bytes by digest, and an event that refers to them."""
        chunks = self.pending.pop(run, None)
        if not chunks:
            return
        content = b"".join(chunk.data for chunk in chunks)
        self.pending_bytes -= len(content)
        digest = blobs.digest_of(content)
        block = OutputBlock.of(chunks, digest)
        record = self.append("output", run, ENGINE, chain.canonical_data(block.model_dump(mode="json")))
        kept = blobs.put(self.connection, content, digest, record.at)
        row = self.connection.execute("SELECT n FROM cases WHERE id = ?", (run,)).fetchone()
        blobs.use(self.connection, row[0] if row else 0, [kept])

    def settle_all(self) -> None:
        """Write all output that is held."""
        for run in list(self.pending):
            self.settle(run)
