"""Whether the records are those that the signed checkpoints were made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.audit.beside import Finding
from engine.audit.checkpoints import Checkpoint, parse
from engine.audit.merkle import Frontier
from engine.audit.walk import Walked


class Witnessing:
    """Builds the tree again, and compares it with each checkpoint on the way."""

    def __init__(self, notes: Sequence[Checkpoint | None], key: Ed25519PublicKey, tree: Frontier) -> None:
        """Go on from `tree`; what lies before its end is taken as read."""
        self._tree = tree
        self._notes = notes
        self._told: dict[int, list[Checkpoint]] = defaultdict(list)
        for note in filter(None, notes):
            self._told[note.size].append(note)
        self._is_ours = cache(lambda note: note.is_signed_by(key))
        self.agreed = 0

    @property
    def size(self) -> int:
        """How many records are in the tree."""
        return self._tree.size

    def stops(self, first: int, last: int) -> Iterable[int]:
        """Return the numbers from `first` to `last` that checkpoints name."""
        return (size for size in self._told if first <= size <= last)

    def before(self, total: int) -> Iterator[Finding]:
        """Yield what is wrong with the file of checkpoints itself, or with it and so many records."""
        for number, note in enumerate(self._notes, 1):
            if note is None:
                yield 0, f"line {number} of the checkpoint file is no checkpoint"
            elif not self._is_ours(note):
                yield (
                    note.size,
                    f"the checkpoint of {note.size} records was forged: not signed by this engine",
                )
        for size in sorted(size for size in self._told if size > total):
            yield total + 1, f"record {total + 1} was removed: a checkpoint covers {size} records"

    def agree(self, walked: Walked) -> Iterator[Finding]:
        """Add a stretch to the tree, and yield each checkpoint that does not agree with all up to it."""
        for stop in walked.stops:
            self._tree.graft(stop.pieces)
            if stop.note is not None:
                yield from self._event(stop.seq, parse(stop.note))
            if stop.seq in self._told:
                yield from self._compare(self._told[stop.seq], stop.hash)
        self._tree.graft(walked.rest)

    def _event(self, seq: int, note: Checkpoint | None) -> Iterator[Finding]:
        if note is None or note.size != seq - 1 or not self._is_ours(note):
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
