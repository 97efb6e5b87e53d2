"""Whether the records are those that the signed checkpoints were made of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.audit.checkpoints import Checkpoint, parse
from engine.audit.merkle import Frontier

Finding = tuple[int, str]
"""The number of a record, and what is wrong with it."""
Row = tuple[int, str, str, str, str, str, bytes, bytes]
"""A row of the table `events`."""


CHECKPOINT = "checkpoint"


class Witnessing:
    """Builds the tree again, and compares it with each checkpoint on the way."""

    def __init__(self, notes: Sequence[Checkpoint | None], key: Ed25519PublicKey, tree: Frontier) -> None:
        """Go on from `tree`; what lies before its end is taken as read."""
        self._key = key
        self._tree = tree
        self._notes = notes
        self._told: dict[int, list[Checkpoint]] = defaultdict(list)
        for note in filter(None, notes):
            self._told[note.size].append(note)
        self.agreed = 0

    @property
    def size(self) -> int:
        """How many records are in the tree."""
        return self._tree.size

    def before(self, total: int) -> Iterator[Finding]:
        """Yield what is wrong with the file of checkpoints itself, or with it and so many records."""
        for number, note in enumerate(self._notes, 1):
            if note is None:
                yield 0, f"line {number} of the checkpoint file is no checkpoint"
            elif not note.is_signed_by(self._key):
                yield (
                    note.size,
                    f"the checkpoint of {note.size} records was forged: not signed by this engine",
                )
        for size in sorted(size for size in self._told if size > total):
            yield total + 1, f"record {total + 1} was removed: a checkpoint covers {size} records"

    def step(self, rows: Sequence[Row]) -> Iterator[Finding]:
        """Add records, and yield each checkpoint that does not agree with all up to it."""
        hashes, done = [row[7] for row in rows], 0
        stops = [place for place, row in enumerate(rows) if row[0] in self._told or row[2] == CHECKPOINT]
        for stop in stops:
            seq, _, kind, _, _, data, _, digest = rows[stop]
            self._tree.extend(hashes[done : stop + 1])
            done = stop + 1
            if kind == CHECKPOINT:
                yield from self._event(seq, parse(json.loads(data)["note"]))
            if seq in self._told:
                yield from self._compare(self._told[seq], digest)
        self._tree.extend(hashes[done:])

    def _event(self, seq: int, note: Checkpoint | None) -> Iterator[Finding]:
        if note is None or note.size != seq - 1 or not note.is_signed_by(self._key):
            yield seq, f"the checkpoint in record {seq} was forged: not signed by this engine"
        elif note.size not in self._told:
            yield seq, f"the checkpoint of {note.size} records was removed from the checkpoint file"

    def _compare(self, notes: Sequence[Checkpoint], head: bytes) -> Iterator[Finding]:
        root = self._tree.root()
        for note in notes:
            if (note.root, note.head) == (root, head):
                self.agreed += 1
            else:
                yield (
                    note.size,
                    f"the first {note.size} records are not those of the checkpoint at {note.at}",
                )
