"""The state of the writer thread: the connection, the end of the chain, and buffered output."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.history.chain import chain, checkpoints
from engine.history.chain.chain import Record
from engine.history.chain.heads import HeadSigner, contradiction_of_end, parse_head
from engine.history.chain.merkle import Frontier
from engine.history.errors import (
    AlreadyRecordedError,
    ContradictedEndError,
    HistoryError,
    SupersededError,
)
from engine.history.events.blocks import OutputBlock
from engine.history.exports.case_verify import COUNT
from engine.history.store.sql import blobs, cases, tree
from engine.history.store.sql.cases import EncodedCase
from engine.history.store.sql.connection import HeldEnd, SqlConnection
from engine.history.store.sql.contradictions import CONTRADICTED, contradictions
from engine.history.store.sql.facts import index as facts_index
from engine.history.store.sql.held_end import appended
from engine.history.store.sql.missing_checkpoints import checkpoints_after, missing_checkpoints
from engine.history.witness import checkpoint_file
from engine.history.witness.witness_file import WitnessFile
from engine.models import OutputChunk

ENGINE = "engine"
CHECKPOINT = "history.checkpoint"
DECIDED = ("decision.made", "decision.expired")
SINGLE = {
    "decision.first_approval": ("decision.first_approval", *DECIDED),
    **dict.fromkeys(DECIDED, DECIDED),
    "drill.ended": ("drill.ended",),
    "submission.revived": ("submission.revived",),
}
"""Events of which a subject has one, by the events that rule them out."""


_CASE_SEQ = "SELECT seq FROM cases WHERE id = ?"
_SUBJECT_SEQ = "SELECT max(seq) FROM events WHERE subject = ?"
_INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class NewRecord(NamedTuple):
    """What becomes a record; `data` is canonical JSON."""

    at: str
    type: str
    subject: str
    actor: str
    data: str


@dataclass
class Ledger:
    """The one place where records are made. Used by the writer thread alone."""

    connection: SqlConnection
    key: Ed25519PrivateKey
    checkpoints: Path
    """The file of checkpoints beside the database."""
    checkpoint_events: int
    witness_file: WitnessFile | None = None
    checkpoint_seconds: float = 60.0
    known: bool = False
    """Whether the end of the chain is known, or has to be read from the disk."""
    last: bytes = chain.GENESIS
    tree: Frontier = field(default_factory=Frontier)
    checked: int = 0
    """How many records the last checkpoint covers."""
    filed: int | None = None
    """How many records the last checkpoint covers that is in `notes`, or in the file outside the database."""
    notes: list[str] = field(default_factory=list)
    """Checkpoints that are on disk and not yet in the file outside the database."""
    fresh: list[str] = field(default_factory=list)
    """Checkpoints of this transaction."""
    buffered: dict[str, list[OutputChunk]] = field(default_factory=dict)
    buffered_bytes: int = 0
    since: float | None = None
    """When the first record after the last checkpoint came, in seconds of the monotonic clock."""
    signed: int = 0
    """How many records the signed head covers."""
    note: str | None = None
    """The signed head of the end that is known."""
    contradictions: tuple[str, ...] = ()
    """What contradicted the history whenever it was opened, and since."""
    refused: str = ""
    """Why nothing is written any more: what contradicts that an engine has signed the end."""

    def __post_init__(self) -> None:
        """Prepare the key."""
        self._signer = HeadSigner(self.key)

    @property
    def public_key(self) -> str:
        """The public key in hexadecimal."""
        return self.key.public_key().public_bytes_raw().hex()

    def load_end(self) -> None:
        """Take the end of the chain from the disk."""
        size, self.last = tree.head(self.connection)
        self.tree = tree.load(self.connection, size)
        row = self.connection.execute(
            "SELECT seq - 1 FROM events WHERE type = 'history.checkpoint' ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        self.checked = row[0] if row else 0
        self.since = time.monotonic() if self.tree.size > self.checked + 1 else None
        self.note = tree.signed_head(self.connection)
        head = parse_head(self.note or "")
        self.signed = head.size if head else 0
        self.known = True

    def begin(self, *, opening: bool = False) -> None:
        """Start a transaction, at a known end of the chain, which another engine may have moved.

        Whoever is `opening` the history compares the end with its signature, and records what differs.

        Raises:
            ContradictedEndError: the end is not one that an engine has signed, or once was not.
        """
        if self.refused:
            raise ContradictedEndError(self.refused)
        held = self.connection.begin(self.tree.size if self.known else None)
        try:
            self._find_end(held, opening=opening)
        except ContradictedEndError as error:
            self.refused = error.problem
            found = f"{error.problem}; this engine writes nothing until it is started again"
            self.contradictions = (*self.contradictions, found)
            raise
        if self.filed is not None and self.checked > self.filed:
            self.notes += checkpoints_after(self.connection, self.filed)
            self.filed = self.checked

    def _find_end(self, held: HeldEnd | None, *, opening: bool) -> None:
        if not self.known:
            self.load_end()
            if not opening:
                self._require_signed()
        elif held:
            self._follow_end(held)

    def _require_signed(self) -> None:
        """Check that an engine has signed the end that is known."""
        if found := contradiction_of_end(self.note, self.tree.size, self.last, self.key.public_key()):
            raise ContradictedEndError(found)

    def _follow_end(self, held: HeldEnd) -> None:
        """Take in what other engines have appended: each of their commits signed the end, too."""
        records = appended(held, self.tree.size, self.last)
        if not records and held.note == self.note:
            return
        for record in records:
            self.last = record.hash
            self.tree.add(record.hash)
            self.checked = record.seq - 1 if record.type == CHECKPOINT else self.checked
        self.note = held.note
        self._require_signed()
        if any(record.type == CONTRADICTED for record in records):
            self.contradictions = contradictions(self.connection)
        self.signed = self.tree.size
        if self.tree.size == self.checked + 1:
            self.since = None
        elif self.since is None:
            self.since = time.monotonic()

    def commit(self) -> None:
        """Put all that was done since `begin`, the output that is held, and a signature over all, on disk.

        The witness and the checkpoint file follow.
        """
        self.flush_all_output()
        note = self._sign()
        self.connection.execute("COMMIT")
        if note:
            self.note = note
            self.publish(note)
        self.notes += self.fresh
        self.fresh.clear()
        self.filed = self.checked
        if self.notes:
            with contextlib.suppress(OSError):  # they stay in `notes` until the file can be written
                checkpoint_file.add(self.checkpoints, self.notes)
                self.notes.clear()

    def _sign(self) -> str:
        """Sign the end of the chain where it has moved, and return the note."""
        if self.signed == self.tree.size:
            return ""
        note = self._signer.note(self.tree.size, self.last, chain.stamp(datetime.now(UTC)))
        tree.sign(self.connection, note)
        self.signed = self.tree.size
        return note

    def publish(self, note: str) -> None:
        """Give the witness the head of what is on disk."""
        if self.witness_file:
            self.witness_file.write(note)

    def roll_back(self) -> None:
        """Undo what was done since `begin`."""
        self.known = False
        self.fresh.clear()
        self.buffered.clear()
        self.buffered_bytes = 0
        with contextlib.suppress(
            self.connection.Error, HistoryError
        ):  # SQLite has undone it itself after a full disk
            self.connection.execute("ROLLBACK")

    def append(
        self,
        type: str,
        subject: str,
        actor: str,
        data: str,
        case: EncodedCase | None = None,
        after: int | None = None,
    ) -> Record:
        """Chain a record, after the output of its subject that came first, and write the case beside it.

        Raises:
            AlreadyRecordedError: there is such a record, and there is one at most.
            SupersededError: the case, or else the subject, has had a record since the one numbered `after`.
        """
        self._require_first(type, subject)
        if after is not None:
            self._require_last(subject, after, of_case=case is not None)
        self.flush_output(subject)
        if case is not None:
            data = self._counted(subject, data)
        at = chain.stamp(datetime.now(UTC))
        (record,) = self.append_all([NewRecord(at, type, subject, actor, data)])
        if case is not None:
            cases.write(self.connection, case, record.seq, at)
            self.connection.dialect.place(subject, is_open=case.is_open)
        self.checkpoint_if_due()
        return record

    def _require_first(self, type: str, subject: str) -> None:
        """Check that a case is not decided again, as one whose decision a disk that hung recorded late."""
        rivals = SINGLE.get(type, ())
        for rival in rivals:
            found = self.connection.execute(
                "SELECT at FROM events WHERE subject = ? AND type = ? LIMIT 1", (subject, rival)
            ).fetchone()
            if found:
                raise AlreadyRecordedError(
                    f"{subject} has a {rival} of {found[0]}", hint=f"Type: pratique show {subject}"
                )

    def _require_last(self, subject: str, after: int, *, of_case: bool) -> None:
        """Check that nobody else has changed what a record is about."""
        query = _CASE_SEQ if of_case else _SUBJECT_SEQ
        row = self.connection.execute(query, (subject,)).fetchone()
        last = (row and row[0]) or 0
        if last > after:
            raise SupersededError(
                f"{subject} was changed meanwhile (record {last})", hint=f"Type: pratique show {subject}"
            )

    def _counted(self, subject: str, data: str) -> str:
        """Return the data of the next event of a subject with how many events it has, this one included."""
        (before,) = self.connection.execute(
            "SELECT count(*) FROM events WHERE subject = ?", (subject,)
        ).fetchone()
        return chain.canonical_data({**json.loads(data), COUNT: before + 1})

    def append_many(self, entries: Sequence[NewRecord]) -> int:
        """Chain records, after all output that came first, and return the number of the last."""
        self.flush_all_output()
        self.append_all(entries)
        last = self.tree.size
        self.checkpoint_if_due()
        return last

    def append_all(self, entries: Sequence[NewRecord]) -> list[Record]:
        """Chain records."""
        records, complete = [], []
        last, grow = self.last, self.tree.add
        for seq, (at, type_, subject, actor, data) in enumerate(entries, self.tree.size + 1):
            record = chain.link(seq, last, at, type_, subject, actor, data)
            last = record.hash
            complete += grow(last)
            records.append(record)
        self.connection.executemany(_INSERT, records)
        self.last = last
        self.since = time.monotonic() if self.since is None else self.since
        if complete:
            tree.store(self.connection, complete)
        return records

    def checkpoint(self) -> None:
        """Sign the current tree, unless nothing was recorded since the last time."""
        size = self.tree.size
        if size == 0 or (self.checked and size == self.checked + 1):
            return
        self.checked = size
        note = checkpoints.sign(self.key, size, self.tree.root(), self.last, chain.stamp(datetime.now(UTC)))
        self.append(CHECKPOINT, "", ENGINE, chain.canonical_data({"note": note, "size": size}))
        self.fresh.append(note)
        self.since = None

    def checkpoint_if_due(self) -> None:
        """Sign the tree where enough was recorded since the last time, or it is long ago."""
        if self.tree.size - self.checked >= self.checkpoint_events or self.due_in() == 0:
            self.checkpoint()

    def due_in(self) -> float | None:
        """Return in how many seconds a checkpoint is due; None where nothing was recorded since the last."""
        if self.since is None:
            return None
        return max(0.0, self.since + self.checkpoint_seconds - time.monotonic())

    def checkpoint_by_time(self) -> None:
        """Sign the tree where that is due, and do what the database needs from time to time."""
        try:
            self.begin()
            self.checkpoint_if_due()
            self.commit()
        except (self.connection.Error, HistoryError):
            self.roll_back()
            raise
        self.connection.dialect.tidy()

    def buffer_output(self, run: str, chunks: Sequence[OutputChunk]) -> None:
        """Keep output until the transaction ends."""
        self.buffered.setdefault(run, []).extend(chunks)
        self.buffered_bytes += sum(len(chunk.data) for chunk in chunks)

    def flush_output(self, run: str) -> None:
        """Write the output of a run that is held: the bytes by digest, and an event that refers to them."""
        chunks = self.buffered.pop(run, None)
        if not chunks:
            return
        content = b"".join(chunk.data for chunk in chunks)
        self.buffered_bytes -= len(content)
        digest = blobs.digest_of(content)
        block = OutputBlock.of(chunks, digest)
        record = self.append("run.output", run, ENGINE, chain.canonical_data(block.model_dump(mode="json")))
        self._put(run, content, digest, record.at)

    def append_artifact(self, run: str, data: str, content: bytes, digest: str) -> None:
        """Write a file that a run left: the bytes by digest, and an event that refers to them."""
        record = self.append("run.artifact", run, ENGINE, data)
        self._put(run, content, digest, record.at)

    def _put(self, run: str, content: bytes, digest: str, at: str) -> None:
        kept = blobs.put(self.connection, content, digest, at)
        row = self.connection.execute("SELECT n FROM cases WHERE id = ?", (run,)).fetchone()
        blobs.use(self.connection, row[0] if row else 0, [kept])

    def flush_all_output(self) -> None:
        """Write all output that is held."""
        for run in list(self.buffered):
            self.flush_output(run)

    def index_some(self) -> bool:
        """Index some texts and facts for the search, and return whether there may be more."""
        try:
            self.begin()
            more = self.connection.dialect.index_texts()
            more = facts_index.index_some(self.connection) or more
            self.connection.execute("COMMIT")
        except (self.connection.Error, HistoryError):
            self.roll_back()
            raise
        return more

    def repair_checkpoint_file(self) -> None:
        """Write the checkpoints that a crash kept from the file outside the database."""
        missing = missing_checkpoints(self.connection, self.checkpoints)
        known = checkpoint_file.notes(self.checkpoints) or self.connection.dialect.is_new
        if missing and (known or len(missing) == 1):
            checkpoint_file.add(self.checkpoints, missing)
